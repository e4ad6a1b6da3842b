use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{Pen, Term};
use crate::grid::attributes::Attributes;
use crate::grid::cell::{Cell, Glyph, Kind};
use crate::grid::row::Row;
use crate::grid::screen::Screen;
use crate::{LineId, Size, unicode};

impl Term {
    /// Changes the size. It reflows the primary screen's logical lines and crops the alternate screen
    /// (its program redraws it). Rows that no longer fit move into the history, and return when there
    /// is room again.
    pub(crate) fn resize(&mut self, size: Size) {
        let size = size.clamped();
        if size == self.size {
            return;
        }
        let old = self.size;
        self.layouts += 1;
        // The copy from before the frame has the old size and cannot be shown.
        self.frame = None;
        // After cropping, a different character might be before the cursor.
        self.previous = None;
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
        // Lines that returned from the history added styles and clusters.
        self.look_changed();
        if self.tables.clusters.is_full() {
            self.tables.sweep_clusters(&mut self.screens);
        }
    }

    /// Reflows the primary screen's lines to the new width; the points keep their place in the text.
    /// The first point must stay on the screen.
    fn lay_out_primary(&mut self, old: Size, new: Size, points: &mut [&mut Point]) {
        let cols = usize::from(new.cols);
        let height = usize::from(new.rows);
        let screen = core::mem::replace(&mut self.screens[0], Screen::from_rows(Vec::new()));
        let lowest = points.first().map_or(0, |point| point.row + 1);
        let full = screen.used().max(lowest) >= usize::from(old.rows);
        let mut lines = gather(screen, usize::from(old.cols), points);
        self.rejoin_first(&mut lines, points);
        let mut rows = VecDeque::new();
        for (index, line) in lines.into_iter().enumerate() {
            lay_out(line, index, cols, &mut rows, points);
        }
        while full && rows.len() < height && self.pull_line(cols, &mut rows, points) {}
        let cut = self.push_out(height, cols, &mut rows, points);
        // Text below the cursor that no longer fits goes into the history. If a line is split, the part on the
        // screen keeps its id.
        let split = rows.back().map(|row| row.line);
        // The text below goes before the first line on the screen, so that line's beginning is added again after it.
        let begun = if cut.iter().any(Row::has_text) { self.take_beginning(rows.front()) } else { None };
        let mut rest = None;
        for mut row in cut.into_iter().rev().filter(Row::has_text) {
            if Some(row.line) == split {
                let (line, start) = *rest.get_or_insert_with(|| (self.fresh_line(), row.start));
                row.line = line;
                row.start -= start;
            }
            self.history.push(&row, cols, &self.tables);
            self.history.hold_back();
        }
        if let Some(row) = begun {
            self.history.push(&row, row.cells().len(), &self.tables);
        }
        while rows.len() < height {
            let line = self.fresh_line();
            rows.push_back(Row::new(line, self.seq));
        }
        self.screens[0] = Screen::from_rows(rows.into());
    }

    /// Joins the first line on the screen with its beginning in the history, to reflow it as a whole.
    fn rejoin_first(&mut self, lines: &mut [LogicalLine], points: &mut [&mut Point]) {
        let Some(first) = lines.first_mut() else { return };
        let Some(last) = self.history.last() else { return };
        if first.start == 0 || last.id != first.id {
            return;
        }
        let (start, cells) = (last.start, self.past_cells());
        first.start = start;
        first.cells.splice(0..0, cells.iter().copied());
        for point in points.iter_mut().filter(|point| point.line == 0) {
            point.offset += cells.len();
        }
        self.history.take_back();
    }

    /// Moves the last line of the history back to the top of the screen; returns false if there is none.
    fn pull_line(&mut self, cols: usize, rows: &mut VecDeque<Row>, points: &mut [&mut Point]) -> bool {
        let Some(last) = self.history.returnable() else { return false };
        let (id, start, stamp) = (last.id, last.start, last.stamp);
        let cells = self.past_cells();
        self.history.take_back();
        let mut above = VecDeque::new();
        lay_out(LogicalLine { id, start, stamp, cells }, usize::MAX, cols, &mut above, &mut []);
        for point in points.iter_mut() {
            point.row += above.len();
        }
        for row in above.into_iter().rev() {
            rows.push_front(row);
        }
        true
    }

    /// Moves rows that do not fit into the history; returns the rows that were cut off at the bottom.
    fn push_out(
        &mut self,
        height: usize,
        cols: usize,
        rows: &mut VecDeque<Row>,
        points: &mut [&mut Point],
    ) -> Vec<Row> {
        let mut cut = Vec::new();
        while rows.len() > height {
            let lowest = points.iter().map(|point| point.row).max().unwrap_or(0);
            let last_is_spare = rows.back().is_some_and(|row| !row.has_text()) && rows.len() - 1 > lowest;
            let first_may_go = points.first().is_none_or(|point| point.row > 0);
            if last_is_spare || !first_may_go {
                cut.extend(rows.pop_back());
                if let Some(last) = rows.back_mut() {
                    last.wrapped = false;
                }
            } else if let Some(row) = rows.pop_front() {
                self.history.push(&row, cols, &self.tables);
                for point in points.iter_mut() {
                    point.row = point.row.saturating_sub(1);
                }
            }
        }
        cut
    }

    /// Removes the beginning of a row's line from the history; returns it as one long row.
    fn take_beginning(&mut self, first: Option<&Row>) -> Option<Row> {
        let (line, last) = (first?.line, self.history.last()?);
        if last.id != line {
            return None;
        }
        let (start, stamp) = (last.start, last.stamp);
        let mut row = Row::with_cells(line, start, stamp, self.past_cells());
        row.wrapped = true;
        self.history.take_back();
        Some(row)
    }

    /// The cells of the history's last line.
    fn past_cells(&mut self) -> Vec<Cell> {
        // Copy the line first: adding its styles and clusters borrows the whole terminal.
        let Some(line) = self.history.last() else { return Vec::new() };
        let pieces: Vec<(usize, Attributes, Option<alloc::boxed::Box<str>>)> =
            line.pieces().map(|(text, look, link)| (text.len(), look, link.map(Into::into))).collect();
        let clusters: Vec<(alloc::string::String, u8)> =
            line.clusters().map(|(text, width)| (text.into(), width)).collect();
        let mut cells: Vec<Cell> = Vec::with_capacity(line.cells as usize);
        let mut pieces = pieces.into_iter();
        let (mut left, mut style) = (0, Default::default());
        for (text, width) in clusters {
            if left == 0
                && let Some((len, look, link)) = pieces.next()
            {
                let link = link.and_then(|address| self.tables.links.intern(&address)).unwrap_or(0);
                left = len;
                // `intern` never sweeps; a sweep would miss the cells that are not on the screen yet.
                style = self.tables.styles.intern(look.with_link(link));
            }
            left = left.saturating_sub(text.len());
            let mut chars = text.chars();
            let glyph = match (chars.next(), chars.next()) {
                (Some(c), None) => Glyph::Char(c),
                _ => {
                    let regular = unicode::clusters(&text).next() == Some((&text, width));
                    Glyph::Cluster(self.tables.clusters.add(&text, regular))
                }
            };
            match width {
                0 => {}
                1 => cells.push(Cell::new(glyph, false, style)),
                _ => cells.extend([Cell::new(glyph, true, style), Cell::right(style)]),
            }
        }
        cells
    }

    /// Crops or pads the alternate screen; returns how many rows were removed at the top.
    fn crop_alternate(&mut self, old: Size, new: Size) -> usize {
        let height = usize::from(new.rows);
        let cursor = usize::from(self.cursor.row);
        let screen = core::mem::replace(&mut self.screens[1], Screen::from_rows(Vec::new()));
        let mut rows: VecDeque<Row> = screen.into_rows().collect();
        let mut dropped = 0;
        while rows.len() > height {
            if self.modes.alt_screen && cursor >= height + dropped {
                rows.pop_front();
                dropped += 1;
            } else {
                rows.pop_back();
            }
        }
        while rows.len() < height {
            let line = self.fresh_line();
            rows.push_back(Row::new(line, self.seq));
        }
        if old.cols != new.cols {
            for row in &mut rows {
                row.drop_filler(usize::from(old.cols));
                row.crop(usize::from(new.cols));
            }
        }
        // The rows of a line that was cut become separate lines.
        let split = old.cols != new.cols || dropped > 0;
        for at in 0..rows.len() {
            let orphan = rows[at].start > 0 && (at == 0 || split);
            if orphan {
                rows[at].line = self.fresh_line();
                rows[at].start = 0;
            }
            if split || at + 1 == rows.len() {
                rows[at].wrapped = false;
            }
        }
        self.screens[1] = Screen::from_rows(rows.into());
        dropped
    }
}

/// A cursor that keeps its place in the text during a reflow.
struct Point {
    row: usize,
    col: usize,
    pending: bool,
    /// The index of the line, and the cell in it.
    line: usize,
    offset: usize,
}

impl Point {
    fn of(pen: &Pen) -> Point {
        let (row, col) = (usize::from(pen.row), usize::from(pen.col));
        Point { row, col, pending: pen.pending_wrap, line: 0, offset: 0 }
    }

    fn put(&self, pen: &mut Pen, size: Size) {
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

/// Joins wrapped rows into lines, and finds each point's place in them.
fn gather(screen: Screen, cols: usize, points: &mut [&mut Point]) -> Vec<LogicalLine> {
    let mut lines: Vec<LogicalLine> = Vec::new();
    let mut joins = false;
    for (at, mut row) in screen.into_rows().enumerate() {
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
        if let Some(last) = cells.last_mut()
            && last.kind() == Kind::Filler
        {
            *last = last.to_blank();
            if wrapped {
                cells.pop();
            }
        }
        if !wrapped {
            let used = cells.iter().rposition(|cell| !cell.is_plain_blank()).map_or(0, |last| last + 1);
            cells.truncate(used);
        }
        line.cells.append(&mut cells);
    }
    lines
}

/// Splits a line into rows of the new width, and sets the new rows and columns of the points.
fn lay_out(
    line: LogicalLine,
    index: usize,
    cols: usize,
    rows: &mut VecDeque<Row>,
    points: &mut [&mut Point],
) {
    let LogicalLine { id, start, stamp, cells } = line;
    let mut offset = 0;
    loop {
        let rest = cells.get(offset..).unwrap_or_default();
        let cuts_wide = rest.get(cols).is_some_and(|cell| cell.kind() == Kind::Right);
        let take = if cuts_wide { cols - 1 } else { rest.len().min(cols) };
        let last = take == rest.len();
        for point in points.iter_mut().filter(|point| point.line == index) {
            if point.offset >= offset && (point.offset < offset + take || last) {
                point.row = rows.len();
                point.col = point.offset - offset;
                // After a full row, a wrap is pending.
                point.pending = point.col == cols;
            }
        }
        let mut row_cells = rest.get(..take).unwrap_or_default().to_vec();
        if cuts_wide {
            row_cells.push(Cell::filler(Default::default()));
        }
        let mut row = Row::with_cells(id, start.saturating_add(offset as u32), stamp, row_cells);
        row.wrapped = !last;
        rows.push_back(row);
        if last {
            return;
        }
        offset += take;
    }
}
