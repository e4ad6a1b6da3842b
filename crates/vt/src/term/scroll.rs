use super::Term;
use crate::LineId;

impl Term {
    /// Moves to the next row, which becomes part of the same logical line.
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

    /// Wraps in a region of one row: the first part of the line goes into the history, or is lost.
    fn wrap_in_one_row(&mut self) {
        let (at, cols) = (usize::from(self.top), self.cols());
        self.cut(at + 1);
        if at == 0 && !self.modes.alt_screen {
            let row = self.screen_mut().row_mut(at);
            let (line, start) = (row.line, row.start.saturating_add(row.span(cols)));
            row.wrapped = true;
            self.scroll_up(self.top, self.bottom, 1);
            let row = self.screen_mut().row_mut(0);
            row.line = line;
            row.start = start;
        } else {
            self.scroll_up(self.top, self.bottom, 1);
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

    /// Scrolls the rows `top..=bottom` up. Rows that leave the primary screen at row 0 go into the
    /// history.
    pub(super) fn scroll_up(&mut self, top: u16, bottom: u16, count: u16) {
        let count = count.min(bottom - top + 1);
        if top == 0 && !self.modes.alt_screen {
            let cols = self.cols();
            for at in 0..usize::from(count) {
                self.history.push(self.screens[0].row(at), cols, &self.tables);
            }
            self.cut(usize::from(bottom) + 1);
            self.rotate_up(top, bottom, count);
        } else {
            self.remove_rows(top, bottom, count);
        }
    }

    /// Removes rows at `top` without keeping them, and inserts blank rows at `bottom` (DL).
    pub(super) fn remove_rows(&mut self, top: u16, bottom: u16, count: u16) {
        let count = count.min(bottom - top + 1);
        self.cut(usize::from(top));
        self.cut(usize::from(top + count));
        self.cut(usize::from(bottom) + 1);
        self.rotate_up(top, bottom, count);
    }

    /// Scrolls the rows `top..=bottom` down; rows that leave at the bottom are lost.
    pub(super) fn scroll_down(&mut self, top: u16, bottom: u16, count: u16) {
        let count = count.min(bottom - top + 1);
        self.cut(usize::from(top));
        self.cut(usize::from(bottom + 1 - count));
        self.cut(usize::from(bottom) + 1);
        let (from, to) = (usize::from(top), usize::from(bottom));
        self.screen_mut().rotate_down(from, to, usize::from(count));
        self.renew(from, from + usize::from(count));
    }

    fn rotate_up(&mut self, top: u16, bottom: u16, count: u16) {
        let (from, to) = (usize::from(top), usize::from(bottom));
        self.screen_mut().rotate_up(from, to, usize::from(count));
        self.renew(to + 1 - usize::from(count), to + 1);
    }

    /// Blanks the rows `from..to` and gives each a new line. Call `cut` at both ends first.
    pub(super) fn renew(&mut self, from: usize, to: usize) {
        let (cols, seq, style) = (self.cols(), self.seq, self.erase_style());
        for at in from..to {
            let line = self.fresh_line();
            self.screen_mut().row_mut(at).renew(line, seq, style, cols);
        }
    }

    /// Makes the row after `at` the continuation of row `at`.
    fn link(&mut self, at: usize) {
        let row = self.screen_mut().row_mut(at);
        if !core::mem::replace(&mut row.wrapped, true) {
            let line = row.line;
            // The start is set below.
            self.relabel(at + 1, line, 0);
        }
        self.mend(at);
    }

    /// Renumbers the following rows after the last column of row `at` was written: a filler there, or
    /// its removal, changes how many cells of the line the row holds.
    pub(super) fn mend(&mut self, at: usize) {
        let cols = self.cols();
        let row = self.screen().row(at);
        if row.wrapped {
            let (line, start) = (row.line, row.start.saturating_add(row.span(cols)));
            if self.screen().get(at + 1).is_some_and(|next| next.start != start) {
                self.relabel(at + 1, line, start);
            }
        }
    }

    /// Splits a line above row `at`: the row begins a new line. (The first row might continue the
    /// history's last line.)
    pub(super) fn cut(&mut self, at: usize) {
        let continues = match at.checked_sub(1) {
            None => self.screen().row(0).start > 0,
            Some(above) if at <= self.screen().len() => {
                core::mem::take(&mut self.screen_mut().row_mut(above).wrapped)
            }
            Some(_) => false,
        };
        if continues && at < self.screen().len() {
            let line = self.fresh_line();
            self.relabel(at, line, 0);
        }
    }

    /// Assigns a row and its continuations to another line.
    pub(super) fn relabel(&mut self, at: usize, line: LineId, start: u32) {
        let cols = self.cols();
        let mut start = start;
        for at in at..self.screen().len() {
            let row = self.screen_mut().row_mut(at);
            row.line = line;
            row.start = start;
            start = start.saturating_add(row.span(cols));
            if !row.wrapped {
                break;
            }
        }
    }
}
