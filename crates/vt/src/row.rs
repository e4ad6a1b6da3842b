use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::LineId;
use crate::cell::{BLANK, Cell, CellKind};
use crate::style::Style;

/// One row of a screen, and which part of which logical line it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The written part; the columns beyond it are plain blanks, so that a new row costs nothing.
    cells: Vec<Cell>,
    pub(crate) line: LineId,
    /// Where this row begins in its logical line, in cells.
    pub(crate) start: u32,
    /// The line goes on in the next row.
    pub(crate) wrapped: bool,
    /// `seq` after the last byte that changed this row.
    pub(crate) stamp: u64,
}

impl Row {
    pub(crate) fn new(line: LineId, stamp: u64) -> Row {
        Row { cells: Vec::new(), line, start: 0, wrapped: false, stamp }
    }

    /// Makes an old row a fresh one, keeping its memory.
    pub(crate) fn renew(&mut self, line: LineId, stamp: u64, style: Style, cols: usize) {
        self.cells.clear();
        if !style.is_default() {
            self.cells.resize(cols, Cell::blank(style));
        }
        self.line = line;
        self.start = 0;
        self.wrapped = false;
        self.stamp = stamp;
    }

    pub(crate) fn with_cells(line: LineId, start: u32, stamp: u64, cells: Vec<Cell>) -> Row {
        Row { cells, line, start, wrapped: false, stamp }
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(crate) fn take_cells(self) -> Vec<Cell> {
        self.cells
    }

    pub(crate) fn get(&self, col: usize) -> &Cell {
        self.cells.get(col).unwrap_or(&BLANK)
    }

    /// How many cells of the logical line a row of this width holds when the line goes on after it.
    pub(crate) fn span(&self, cols: usize) -> u32 {
        let filler = self.get(cols.saturating_sub(1)).kind == CellKind::Filler;
        (cols - usize::from(filler)) as u32
    }

    /// Columns up to and including the last one with text.
    pub(crate) fn text_len(&self) -> usize {
        let last = self.cells.iter().rposition(|cell| !cell.is_empty());
        match last {
            Some(i) if self.cells[i].kind == CellKind::Wide => i + 2,
            Some(i) => i + 1,
            None => 0,
        }
    }

    pub(crate) fn has_text(&self) -> bool {
        self.cells.iter().any(|cell| !cell.is_empty())
    }

    /// The cells that count as the line's text: all of a wrapped row, else up to the last text.
    pub(crate) fn line_len(&self, cols: usize) -> usize {
        if self.wrapped { self.span(cols) as usize } else { self.text_len() }
    }

    /// Appends the text of the cells `from..to`, blanks as spaces.
    pub(crate) fn push_text(&self, from: usize, to: usize, out: &mut String) {
        for col in from..to {
            let cell = self.get(col);
            match cell.kind {
                CellKind::Right | CellKind::Filler => {}
                _ if cell.is_empty() => out.push(' '),
                _ => out.push_str(cell.text()),
            }
        }
    }

    pub(crate) fn fill_to(&mut self, cols: usize) {
        if self.cells.len() < cols {
            self.cells.resize(cols, BLANK.clone());
        }
    }

    /// Blanks a wide character that lies across the border left of `col`.
    pub(crate) fn split_at(&mut self, col: usize) {
        if col > 0 && self.get(col).kind == CellKind::Right {
            for cell in &mut self.cells[col - 1..=col] {
                *cell = Cell::blank(cell.style.erased());
            }
        }
    }

    pub(crate) fn write_ascii(&mut self, col: usize, bytes: &[u8], style: Style) {
        self.split_at(col);
        self.split_at(col + bytes.len());
        self.fill_to(col);
        let overlap = bytes.len().min(self.cells.len() - col);
        let (over, beyond) = bytes.split_at(overlap);
        for (cell, &byte) in self.cells[col..].iter_mut().zip(over) {
            *cell = Cell::ascii(byte, style);
        }
        self.cells.extend(beyond.iter().map(|&byte| Cell::ascii(byte, style)));
    }

    pub(crate) fn write_char(&mut self, col: usize, c: char, wide: bool, style: Style) {
        let end = col + 1 + usize::from(wide);
        self.split_at(col);
        self.split_at(end);
        self.fill_to(end);
        self.cells[col] = Cell::char(c, wide, style);
        if wide {
            self.cells[col + 1] = Cell::of_kind(CellKind::Right, style);
        }
    }

    /// Leaves the last column empty because a wide character wraps to the next row.
    pub(crate) fn write_filler(&mut self, col: usize, style: Style) {
        self.split_at(col);
        self.fill_to(col + 1);
        self.cells[col] = Cell::of_kind(CellKind::Filler, style.erased());
    }

    pub(crate) fn combine(&mut self, col: usize, c: char) {
        let col = if self.get(col).kind == CellKind::Right { col.saturating_sub(1) } else { col };
        self.fill_to(col + 1);
        let cell = &mut self.cells[col];
        if cell.kind != CellKind::Filler {
            cell.combine(c);
        }
    }

    /// Erases the columns `from..to`.
    pub(crate) fn erase(&mut self, from: usize, to: usize, style: Style) {
        self.split_at(from);
        self.split_at(to);
        if style.is_default() && to >= self.cells.len() {
            self.cells.truncate(from);
            return;
        }
        self.fill_to(to);
        for cell in &mut self.cells[from..to] {
            *cell = Cell::blank(style);
        }
    }

    /// Shifts the cells from `col` right by `n`; what passes the last column is lost.
    pub(crate) fn insert(&mut self, col: usize, n: usize, style: Style, cols: usize) {
        let n = n.min(cols - col);
        self.split_at(col);
        self.drop_filler(cols);
        if n == 0 || (self.cells.len() <= col && style.is_default()) {
            return;
        }
        self.fill_to(col);
        self.split_at(cols - n);
        self.cells.truncate(cols - n);
        self.cells.splice(col..col, core::iter::repeat_n(Cell::blank(style), n));
    }

    /// Removes `n` cells at `col`; the rest moves left and blanks come in at the right.
    pub(crate) fn delete(&mut self, col: usize, n: usize, style: Style, cols: usize) {
        let n = n.min(cols - col);
        self.split_at(col);
        self.split_at(col + n);
        self.drop_filler(cols);
        let len = self.cells.len();
        if len > col {
            self.cells.drain(col..len.min(col + n));
        }
        if !style.is_default() {
            self.fill_to(cols - n);
            self.cells.resize(cols, Cell::blank(style));
        }
    }

    /// Cuts the row to a smaller width.
    pub(crate) fn crop(&mut self, cols: usize) {
        self.split_at(cols);
        self.cells.truncate(cols);
    }

    /// A filler only means something in the last column of a row that wraps.
    pub(crate) fn drop_filler(&mut self, cols: usize) {
        if let Some(cell) = self.cells.get_mut(cols.saturating_sub(1))
            && cell.kind == CellKind::Filler
        {
            cell.kind = CellKind::Narrow;
        }
    }
}
