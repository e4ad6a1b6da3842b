use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::Term;
use crate::cell::{Cell, CellKind};
use crate::row::Row;
use crate::{LineId, Size};

impl Term {
    /// Takes a new size: the primary screen's logical lines are laid out again, the alternate
    /// screen is cropped (its program redraws it). Rows that no longer fit go into the history.
    pub(crate) fn resize(&mut self, size: Size) {
        let size = size.clamped();
        if size == self.size {
            return;
        }
        let old = self.size;
        let mut cursor = Point::of(&self.cursor);
        let mut saved = Point::of(&self.saved[0]);
        if self.modes.alt_screen {
            self.lay_out_primary(old, size, &mut [&mut saved]);
        } else {
            self.lay_out_primary(old, size, &mut [&mut cursor, &mut saved]);
        }
        let dropped = self.crop_alternate(old, size);
        self.size = size;
        if self.modes.alt_screen {
            cursor.row = cursor.row.saturating_sub(dropped);
            cursor.pending &= size.cols == old.cols;
        }
        cursor.put(&mut self.cursor, size);
        saved.put(&mut self.saved[0], size);
        let mut other = Point::of(&self.saved[1]);
        other.pending &= size.cols == old.cols;
        other.put(&mut self.saved[1], size);
        self.reset_margins();
        let tabs = super::default_tabs(size.cols);
        self.tabs.truncate(tabs.len());
        self.tabs.extend(tabs.into_iter().skip(usize::from(old.cols)));
        // Rows were made with the old links; the seams are mended for both screens.
        let shown = self.modes.alt_screen;
        for alternate in [true, false] {
            self.modes.alt_screen = alternate;
            self.relink();
        }
        self.modes.alt_screen = shown;
    }

    /// Lays the primary screen's lines out in the new width; the points keep their place in the
    /// text. The first point is the one that must stay on the screen.
    fn lay_out_primary(&mut self, old: Size, new: Size, points: &mut [&mut Point]) {
        let lines = gather(core::mem::take(&mut self.primary), usize::from(old.cols), points);
        let mut rows = VecDeque::new();
        for (index, line) in lines.into_iter().enumerate() {
            lay_out(line, index, usize::from(new.cols), &mut rows, points);
        }
        let height = usize::from(new.rows);
        while rows.len() > height {
            let lowest = points.iter().map(|point| point.row).max().unwrap_or(0);
            let last_is_spare =
                rows.back().is_some_and(|row: &Row| !row.has_text()) && rows.len() - 1 > lowest;
            let first_may_go = points.first().is_none_or(|point| point.row > 0);
            if last_is_spare || !first_may_go {
                // Text below the cursor of a screen that gets this low is cut off.
                rows.pop_back();
            } else if let Some(row) = rows.pop_front() {
                self.history.push(&row, usize::from(new.cols));
                for point in points.iter_mut() {
                    point.row = point.row.saturating_sub(1);
                }
            }
        }
        while rows.len() < height {
            let line = self.fresh_line();
            rows.push_back(Row::new(line, self.seq));
        }
        self.primary = rows;
    }

    /// Crops or pads the alternate screen; gives how many rows left at the top.
    fn crop_alternate(&mut self, old: Size, new: Size) -> usize {
        let height = usize::from(new.rows);
        let cursor = usize::from(self.cursor.row);
        let mut dropped = 0;
        while self.alternate.len() > height {
            if self.modes.alt_screen && cursor >= height + dropped {
                self.alternate.pop_front();
                dropped += 1;
            } else {
                self.alternate.pop_back();
            }
        }
        while self.alternate.len() < height {
            let line = self.fresh_line();
            self.alternate.push_back(Row::new(line, self.seq));
        }
        if old.cols != new.cols {
            for row in &mut self.alternate {
                row.drop_filler(usize::from(old.cols));
                row.crop(usize::from(new.cols));
                row.wrapped = false;
            }
        }
        dropped
    }
}

/// A cursor on its way through a new layout.
struct Point {
    row: usize,
    col: usize,
    pending: bool,
    /// Which line, and where in it.
    line: usize,
    offset: usize,
}

impl Point {
    fn of(pen: &super::Pen) -> Point {
        let (row, col) = (usize::from(pen.row), usize::from(pen.col));
        Point { row, col, pending: pen.pending_wrap, line: 0, offset: 0 }
    }

    fn put(&self, pen: &mut super::Pen, size: Size) {
        pen.row = self.row.min(usize::from(size.rows) - 1) as u16;
        pen.col = self.col.min(usize::from(size.cols) - 1) as u16;
        pen.pending_wrap = self.pending && pen.col == size.cols - 1;
    }
}

struct LogicalLine {
    id: LineId,
    start: u32,
    stamp: u64,
    cells: Vec<Cell>,
}

/// Joins wrapped rows to lines, and finds each point's place in them.
fn gather(rows: VecDeque<Row>, cols: usize, points: &mut [&mut Point]) -> Vec<LogicalLine> {
    let mut lines: Vec<LogicalLine> = Vec::new();
    let mut joins = false;
    for (at, mut row) in rows.into_iter().enumerate() {
        let wrapped = row.wrapped;
        if !joins {
            lines.push(LogicalLine { id: row.line, start: row.start, stamp: row.stamp, cells: Vec::new() });
        }
        joins = wrapped;
        let index = lines.len() - 1;
        let Some(line) = lines.last_mut() else { continue };
        for point in points.iter_mut().filter(|point| point.row == at) {
            point.line = index;
            point.offset = line.cells.len() + point.col + usize::from(point.pending);
        }
        if wrapped {
            row.fill_to(cols);
        }
        line.stamp = line.stamp.max(row.stamp);
        let mut cells = row.take_cells();
        if cells.last().is_some_and(|cell| cell.kind == CellKind::Filler) {
            cells.pop();
        }
        if !wrapped {
            let used = cells.iter().rposition(|cell| !is_spare(cell)).map_or(0, |last| last + 1);
            cells.truncate(used);
        }
        line.cells.append(&mut cells);
    }
    lines
}

/// A blank that need not be kept; the right half of a wide character only looks like one.
fn is_spare(cell: &Cell) -> bool {
    cell.is_plain_blank() && cell.kind == CellKind::Narrow
}

/// Cuts a line into rows of the new width, and gives the points their new rows and columns.
fn lay_out(
    line: LogicalLine,
    index: usize,
    cols: usize,
    rows: &mut VecDeque<Row>,
    points: &mut [&mut Point],
) {
    let LogicalLine { id, start, stamp, mut cells } = line;
    let mut offset = 0;
    loop {
        let rest = cells.len();
        let cuts_wide = rest > cols && cells.get(cols).is_some_and(|cell| cell.kind == CellKind::Right);
        let take = if cuts_wide { cols - 1 } else { rest.min(cols) };
        let later = cells.split_off(take);
        let last = later.is_empty();
        for point in points.iter_mut().filter(|point| point.line == index) {
            if point.offset >= offset && (point.offset < offset + take || last) {
                point.row = rows.len();
                point.col = point.offset - offset;
                // Just after a full row is where a wrap is due.
                point.pending = point.col == cols;
            }
        }
        if cuts_wide {
            cells.push(Cell::of_kind(CellKind::Filler, Default::default()));
        }
        let row_start = start.saturating_add(offset as u32);
        let mut row = Row::with_cells(id, row_start, stamp, cells);
        row.wrapped = !last;
        rows.push_back(row);
        if last {
            return;
        }
        offset += take;
        cells = later;
    }
}
