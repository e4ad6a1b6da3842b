use super::Term;
use crate::LineId;
use crate::row::Row;

impl Term {
    /// Goes on in the next row, which becomes part of the same logical line.
    pub(super) fn wrap(&mut self) {
        let at = self.cursor.row;
        self.cursor.col = 0;
        self.cursor.pending_wrap = false;
        if at == self.bottom {
            if self.top == self.bottom {
                self.wrap_in_one_row();
            } else {
                self.scroll_up(self.top, self.bottom, 1);
                self.link(usize::from(at) - 1);
            }
        } else if at < self.last_row() {
            self.cursor.row += 1;
            self.link(usize::from(at));
        }
    }

    /// A region of one row: the line's first part is in the history, or nowhere.
    fn wrap_in_one_row(&mut self) {
        let (at, cols) = (usize::from(self.top), self.cols());
        let row = &mut self.screen_mut()[at];
        row.wrapped = true;
        let (line, start) = (row.line, row.start.saturating_add(row.span(cols)));
        self.scroll_up(self.top, self.bottom, 1);
        if at == 0 && !self.modes.alt_screen {
            let row = &mut self.primary[0];
            row.line = line;
            row.start = start;
        }
    }

    /// Moves down a row, scrolling at the bottom of the region (IND).
    pub(super) fn index(&mut self) {
        self.cursor.pending_wrap = false;
        if self.cursor.row == self.bottom {
            self.scroll_up(self.top, self.bottom, 1);
        } else if self.cursor.row < self.last_row() {
            self.cursor.row += 1;
        }
    }

    /// Moves up a row, scrolling at the top of the region (RI).
    pub(super) fn reverse_index(&mut self) {
        self.cursor.pending_wrap = false;
        if self.cursor.row == self.top {
            self.scroll_down(self.top, self.bottom, 1);
        } else {
            self.cursor.row = self.cursor.row.saturating_sub(1);
        }
    }

    /// Scrolls the rows `top..=bottom` up. What leaves the primary screen at its very top goes into
    /// the history.
    pub(super) fn scroll_up(&mut self, top: u16, bottom: u16, count: u16) {
        let keep = top == 0 && !self.modes.alt_screen;
        self.shift(top, bottom, count, keep, |rows, top, bottom| (rows.remove(top), bottom));
        if top != 0 || bottom != self.last_row() {
            self.relink();
        }
    }

    /// Scrolls the rows `top..=bottom` down; what leaves at the bottom is gone.
    pub(super) fn scroll_down(&mut self, top: u16, bottom: u16, count: u16) {
        self.shift(top, bottom, count, false, |rows, top, bottom| (rows.remove(bottom), top));
        self.relink();
    }

    /// Removes rows from `top` and inserts blank ones at `bottom` without keeping them (DL).
    pub(super) fn remove_rows(&mut self, top: u16, bottom: u16, count: u16) {
        self.shift(top, bottom, count, false, |rows, top, bottom| (rows.remove(top), bottom));
        self.relink();
    }

    /// Takes out rows with `take`, which also says where a blank one comes in instead.
    fn shift(
        &mut self,
        top: u16,
        bottom: u16,
        count: u16,
        keep: bool,
        take: impl Fn(&mut alloc::collections::VecDeque<Row>, usize, usize) -> (Option<Row>, usize),
    ) {
        let (cols, seq, style) = (self.cols(), self.seq, self.cursor.style.erased());
        let height = bottom.saturating_sub(top) + 1;
        for _ in 0..count.min(height) {
            let line = self.fresh_line();
            let (row, to) = take(self.screen_mut(), usize::from(top), usize::from(bottom));
            let Some(mut row) = row else { return };
            if keep {
                self.history.push(&row, cols);
            }
            row.renew(line, seq, style, cols);
            self.screen_mut().insert(to, row);
        }
    }

    /// Makes the row after `at` the continuation of row `at`.
    fn link(&mut self, at: usize) {
        let cols = self.cols();
        let row = &mut self.screen_mut()[at];
        if !row.wrapped {
            row.wrapped = true;
            let (line, start) = (row.line, row.start.saturating_add(row.span(cols)));
            self.relabel(at + 1, line, start);
        }
    }

    /// Ends the logical line at row `at`; what followed becomes a line of its own.
    pub(super) fn unlink(&mut self, at: usize) {
        let row = &mut self.screen_mut()[at];
        if row.wrapped {
            row.wrapped = false;
            let line = self.fresh_line();
            self.relabel(at + 1, line, 0);
        }
    }

    /// Gives a row and its continuations another line.
    fn relabel(&mut self, at: usize, line: LineId, start: u32) {
        let cols = self.cols();
        let mut start = start;
        for row in self.screen_mut().iter_mut().skip(at) {
            row.line = line;
            row.start = start;
            start = start.saturating_add(row.span(cols));
            if !row.wrapped {
                break;
            }
        }
    }

    /// Mends the logical lines after rows moved: a row is a continuation only of the row above it.
    /// (The first row may continue the history's last line.)
    pub(super) fn relink(&mut self) {
        let cols = self.cols() as u32;
        let rows = self.screen_mut();
        let mut orphans = false;
        for at in 0..rows.len() {
            let follows = rows.get(at + 1).is_some_and(|below| {
                let above = &rows[at];
                above.wrapped
                    && above.line == below.line
                    && below.start > above.start
                    && below.start - above.start <= cols
            });
            rows[at].wrapped = follows;
            orphans |= !follows && rows.get(at + 1).is_some_and(|below| below.start > 0);
        }
        for at in 1..usize::from(self.size.rows) {
            let rows = self.screen();
            if orphans && rows[at].start > 0 && !rows[at - 1].wrapped {
                let line = self.fresh_line();
                self.relabel(at, line, 0);
            }
        }
    }
}
