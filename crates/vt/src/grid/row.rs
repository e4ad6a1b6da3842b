use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::LineId;
use crate::grid::cell::{Cell, Kind, StyleId};

/// One row of a screen, and which part of which logical line it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The written part. The columns after it are plain blanks, so an empty row needs no memory.
    #[serde(with = "crate::state::packed")]
    cells: Vec<Cell>,
    pub(crate) line: LineId,
    /// `seq` after the last byte that changed this row.
    pub(crate) stamp: u64,
    /// Where this row begins in its logical line, in cells.
    pub(crate) start: u32,
    /// The line continues in the next row.
    pub(crate) wrapped: bool,
    /// Some cells might not be single ASCII characters.
    complex: bool,
    /// Some cells might have a style.
    styled: bool,
    /// Segmenting the row's text into clusters again might not yield its cells.
    irregular: bool,
}

impl Row {
    pub(crate) fn new(line: LineId, stamp: u64) -> Row {
        Row {
            cells: Vec::new(),
            line,
            stamp,
            start: 0,
            wrapped: false,
            complex: false,
            styled: false,
            irregular: false,
        }
    }

    /// Turns an old row into a blank one and reuses its memory.
    pub(crate) fn renew(&mut self, line: LineId, stamp: u64, style: StyleId, cols: usize) {
        self.cells.clear();
        self.line = line;
        self.stamp = stamp;
        self.start = 0;
        self.wrapped = false;
        self.complex = false;
        self.styled = false;
        self.irregular = false;
        if style != StyleId(0) {
            self.cells.resize(cols, Cell::blank(style));
            self.styled = true;
        }
    }

    pub(crate) fn with_cells(line: LineId, start: u32, stamp: u64, cells: Vec<Cell>) -> Row {
        Row { cells, line, stamp, start, wrapped: false, complex: true, styled: true, irregular: true }
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(crate) fn cells_mut(&mut self) -> &mut [Cell] {
        &mut self.cells
    }

    pub(crate) fn take_cells(&mut self) -> Vec<Cell> {
        core::mem::take(&mut self.cells)
    }

    /// Whether every cell is one ASCII character.
    pub(crate) fn is_ascii(&self) -> bool {
        !self.complex
    }

    pub(crate) fn is_irregular(&self) -> bool {
        self.irregular
    }

    /// Records that a cell was written which its neighbours would have joined if printed in order.
    pub(crate) fn set_irregular(&mut self) {
        self.irregular = true;
    }

    pub(crate) fn is_styled(&self) -> bool {
        self.styled
    }

    pub(crate) fn get(&self, col: usize) -> Cell {
        self.cells.get(col).copied().unwrap_or(Cell::BLANK)
    }

    /// How many cells of its line a row of this width holds if the line continues after it.
    pub(crate) fn span(&self, cols: usize) -> u32 {
        let filler = self.complex && self.get(cols.saturating_sub(1)).kind() == Kind::Filler;
        (cols - usize::from(filler)) as u32
    }

    /// Columns up to and including the last one with text.
    pub(crate) fn text_len(&self) -> usize {
        match self.cells.iter().rposition(|cell| !cell.is_empty()) {
            Some(last) if self.cells[last].kind() == Kind::Wide => last + 2,
            Some(last) => last + 1,
            None => 0,
        }
    }

    pub(crate) fn has_text(&self) -> bool {
        self.cells.iter().any(|cell| !cell.is_empty())
    }

    /// How many cells count as the line's text: all of a wrapped row, otherwise those up to the last text.
    pub(crate) fn line_len(&self, cols: usize) -> usize {
        if self.wrapped { self.span(cols) as usize } else { self.text_len() }
    }

    pub(crate) fn fill_to(&mut self, cols: usize) {
        if self.cells.len() < cols {
            self.cells.resize(cols, Cell::BLANK);
        }
    }

    /// Blanks a wide cluster that would be split at the left edge of `col`.
    pub(crate) fn split_at(&mut self, col: usize) {
        if self.complex && col > 0 && self.get(col).kind() == Kind::Right {
            for cell in &mut self.cells[col - 1..=col] {
                *cell = cell.to_blank();
            }
        }
    }

    /// Writes ASCII characters; they must fit into `cols` columns.
    pub(crate) fn write_ascii(&mut self, col: usize, bytes: &[u8], style: StyleId, cols: usize) {
        if self.cells.len() == col && self.cells.capacity() >= cols {
            // After the written part: nothing to split.
            self.styled |= style != StyleId(0);
            self.cells.extend(bytes.iter().map(|&byte| Cell::ascii(byte, style)));
            return;
        }
        if self.complex {
            self.split_at(col);
            self.split_at(col + bytes.len());
        }
        self.styled |= style != StyleId(0);
        if self.cells.len() < col + bytes.len() {
            if self.cells.capacity() < cols {
                // Reserve the full width at once: the row is reused for other lines.
                self.cells.reserve_exact(cols - self.cells.len());
            }
            self.fill_to(col);
            if self.cells.len() == col {
                self.cells.extend(bytes.iter().map(|&byte| Cell::ascii(byte, style)));
                return;
            }
            self.fill_to(col + bytes.len());
        }
        for (cell, &byte) in self.cells[col..].iter_mut().zip(bytes) {
            *cell = Cell::ascii(byte, style);
        }
    }

    /// Writes one cluster, with its right half if it is wide.
    #[inline]
    pub(crate) fn write(&mut self, col: usize, cell: Cell, cols: usize) {
        let wide = cell.kind() == Kind::Wide;
        let end = col + 1 + usize::from(wide);
        self.styled |= cell.style != StyleId(0);
        if self.cells.len() == col && self.cells.capacity() >= end {
            // After the written part: nothing to split.
            self.complex |= !cell.is_ascii();
            self.cells.push(cell);
            if wide {
                self.cells.push(Cell::right(cell.style));
            }
            return;
        }
        self.split_at(col);
        self.split_at(end);
        self.complex |= !cell.is_ascii();
        // The cells to its right were printed after a different character.
        self.irregular |= !cell.is_ascii() && self.cells.len() > col + 1;
        if self.cells.len() < end {
            if self.cells.capacity() < cols {
                self.cells.reserve_exact(cols - self.cells.len());
            }
            self.fill_to(end);
        }
        self.cells[col] = cell;
        if wide {
            self.cells[col + 1] = Cell::right(cell.style);
        }
    }

    /// Writes whole clusters in one style, right halves included; they must fit into `cols` columns.
    pub(crate) fn write_cells(&mut self, col: usize, cells: &[Cell], style: StyleId, cols: usize) {
        let end = col + cells.len();
        self.styled |= style != StyleId(0);
        if self.cells.capacity() < cols {
            self.cells.reserve_exact(cols - self.cells.len());
        }
        let other = cells.iter().position(|cell| !cell.is_ascii());
        self.complex |= other.is_some();
        let styled = cells.iter().map(|cell| cell.with_style(style));
        if self.cells.len() > col {
            self.split_at(col);
            self.split_at(end);
            // The cells to the right of a non-ASCII cluster were printed after a different character. (Same
            // result as writing the clusters one by one.)
            self.irregular |= other.is_some_and(|at| self.cells.len() > col + at + 1);
            self.fill_to(end);
            self.cells[col..end].iter_mut().zip(styled).for_each(|(old, new)| *old = new);
        } else {
            self.fill_to(col);
            self.cells.extend(styled);
        }
    }

    /// Leaves the last column empty because a wide cluster wraps to the next row.
    pub(crate) fn write_filler(&mut self, col: usize, style: StyleId) {
        self.split_at(col);
        self.fill_to(col + 1);
        self.cells[col] = Cell::filler(style);
        self.complex = true;
        self.styled |= style != StyleId(0);
    }

    /// Replaces the text of a cell after a character has joined it.
    pub(crate) fn set_cluster(&mut self, col: usize, index: u32) {
        self.fill_to(col + 1);
        self.complex = true;
        let cell = &mut self.cells[col];
        cell.set_cluster(index);
        let end = col + if cell.kind() == Kind::Wide { 2 } else { 1 };
        // The cells to the right were printed after a different character.
        self.irregular |= self.cells.len() > end;
    }

    /// Erases the columns `from..to`.
    pub(crate) fn erase(&mut self, from: usize, to: usize, style: StyleId) {
        self.split_at(from);
        self.split_at(to);
        if style == StyleId(0) && to >= self.cells.len() {
            self.cells.truncate(from);
            return;
        }
        self.fill_to(to);
        self.styled |= style != StyleId(0);
        self.cells[from..to].fill(Cell::blank(style));
    }

    /// Erases the columns `from..to`, except cells whose style is spared.
    pub(crate) fn erase_unless(
        &mut self,
        from: usize,
        to: usize,
        style: StyleId,
        spared: impl Fn(StyleId) -> bool,
    ) {
        for col in from..to.min(self.cells.len().max(if style == StyleId(0) { 0 } else { to })) {
            if !spared(self.get(col).style) {
                self.split_at(col);
                self.split_at(col + 1);
                self.fill_to(col + 1);
                self.cells[col] = Cell::blank(style);
                self.styled |= style != StyleId(0);
            }
        }
    }

    /// Shifts the cells from `col` right by `n`; cells pushed past the last column are lost.
    pub(crate) fn insert(&mut self, col: usize, n: usize, style: StyleId, cols: usize) {
        let n = n.min(cols - col);
        self.irregular |= self.complex;
        self.split_at(col);
        self.drop_filler(cols);
        if n == 0 || (self.cells.len() <= col && style == StyleId(0)) {
            return;
        }
        self.fill_to(col);
        self.split_at(cols - n);
        self.cells.truncate(cols - n);
        self.cells.splice(col..col, core::iter::repeat_n(Cell::blank(style), n));
        self.styled |= style != StyleId(0);
    }

    /// Removes `n` cells at `col`; the rest moves left and blanks come in at the right.
    pub(crate) fn delete(&mut self, col: usize, n: usize, style: StyleId, cols: usize) {
        let n = n.min(cols - col);
        self.irregular |= self.complex;
        self.split_at(col);
        self.split_at(col + n);
        self.drop_filler(cols);
        let len = self.cells.len();
        if len > col {
            self.cells.drain(col..len.min(col + n));
        }
        if style != StyleId(0) {
            self.fill_to(cols - n);
            self.cells.resize(cols, Cell::blank(style));
            self.styled = true;
        }
    }

    /// Cuts the row to a smaller width.
    pub(crate) fn crop(&mut self, cols: usize) {
        self.split_at(cols);
        self.cells.truncate(cols);
    }

    /// Blanks the filler, which is only valid in the last column of a wrapped row.
    pub(crate) fn drop_filler(&mut self, cols: usize) {
        if let Some(cell) = self.cells.get_mut(cols.saturating_sub(1))
            && cell.kind() == Kind::Filler
        {
            *cell = cell.to_blank();
        }
    }

    /// Whether the flags match the cells.
    pub(crate) fn is_sound(&self) -> bool {
        self.cells.iter().all(|cell| {
            cell.is_sound() && (self.complex || cell.is_ascii()) && (self.styled || cell.style == StyleId(0))
        })
    }
}
