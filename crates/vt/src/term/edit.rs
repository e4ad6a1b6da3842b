use super::Term;
use crate::cell::Cell;

impl Term {
    /// Erase in display. ED 2 on the primary screen puts the text into the history first; ED 3
    /// (erase saved lines) is ignored: nothing that a program printed is lost by `clear`.
    pub(super) fn erase_display(&mut self, what: u16) {
        let row = self.cursor.row;
        match what {
            0 => {
                self.erase_line(0);
                self.renew_rows(row + 1, self.size.rows);
            }
            1 => {
                self.erase_line(1);
                self.renew_rows(0, row);
            }
            2 => {
                self.keep_screen();
                self.renew_rows(0, self.size.rows);
            }
            _ => {}
        }
    }

    /// Erase in line.
    pub(super) fn erase_line(&mut self, what: u16) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        let style = self.cursor.style.erased();
        let (from, to) = match what {
            0 => (col, cols),
            1 => (0, col + 1),
            2 => (0, cols),
            _ => return,
        };
        self.touch_cursor_row().erase(from, to, style);
        if what == 0 {
            self.cursor.pending_wrap = false;
        }
        if to == cols {
            self.unlink(usize::from(self.cursor.row));
        }
    }

    /// ECH.
    pub(super) fn erase_chars(&mut self, count: u16) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        let style = self.cursor.style.erased();
        self.cursor.pending_wrap = false;
        self.touch_cursor_row().erase(col, cols.min(col + usize::from(count)), style);
    }

    /// ICH.
    pub(super) fn insert_chars(&mut self, count: u16) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        let style = self.cursor.style.erased();
        self.cursor.pending_wrap = false;
        self.touch_cursor_row().insert(col, usize::from(count), style, cols);
        self.unlink(usize::from(self.cursor.row));
    }

    /// DCH.
    pub(super) fn delete_chars(&mut self, count: u16) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        let style = self.cursor.style.erased();
        self.cursor.pending_wrap = false;
        self.touch_cursor_row().delete(col, usize::from(count), style, cols);
        self.unlink(usize::from(self.cursor.row));
    }

    /// IL; outside the scroll region it does nothing.
    pub(super) fn insert_lines(&mut self, count: u16) {
        if (self.top..=self.bottom).contains(&self.cursor.row) {
            self.scroll_down(self.cursor.row, self.bottom, count);
            self.cursor.col = 0;
            self.cursor.pending_wrap = false;
        }
    }

    /// DL; outside the scroll region it does nothing.
    pub(super) fn delete_lines(&mut self, count: u16) {
        if (self.top..=self.bottom).contains(&self.cursor.row) {
            self.remove_rows(self.cursor.row, self.bottom, count);
            self.cursor.col = 0;
            self.cursor.pending_wrap = false;
        }
    }

    /// DECALN: fills the screen with E, to adjust the tube by.
    pub(super) fn alignment_test(&mut self) {
        self.reset_margins();
        self.cursor.origin = false;
        self.move_to(0, 0);
        self.renew_rows(0, self.size.rows);
        let (cols, style) = (self.cols(), crate::Style::default());
        for row in self.screen_mut() {
            *row = crate::row::Row::with_cells(
                row.line,
                0,
                row.stamp,
                alloc::vec![Cell::ascii(b'E', style); cols],
            );
        }
    }

    /// Puts what the primary screen shows into the history, before it is wiped.
    pub(super) fn keep_screen(&mut self) {
        if self.modes.alt_screen {
            return;
        }
        let cols = self.cols();
        let used = self.primary.iter().rposition(|row| row.has_text()).map_or(0, |last| last + 1);
        for row in self.primary.iter().take(used) {
            self.history.push(row, cols);
        }
    }

    /// Blanks the rows `from..to` and makes each a new line.
    pub(super) fn renew_rows(&mut self, from: u16, to: u16) {
        let (cols, seq, style) = (self.cols(), self.seq, self.cursor.style.erased());
        for at in from..to {
            let line = self.fresh_line();
            self.screen_mut()[usize::from(at)].renew(line, seq, style, cols);
        }
        self.relink();
    }
}
