use super::{Protection, Term};
use crate::grid::cell::{Cell, StyleId};
use crate::grid::row::Row;

/// Whether an erase spares the cells that DECSCA protected (DECSED, DECSEL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erase {
    Plain,
    Selective,
}

impl Term {
    /// Erase in display. ED 2 on the primary screen moves the text into the history first, and ED 3
    /// (erase saved lines) is ignored, so that `clear` loses no output.
    pub(super) fn erase_display(&mut self, what: u16, how: Erase) {
        let row = usize::from(self.cursor.row);
        let rows = usize::from(self.size.rows);
        match what {
            0 => {
                self.erase_line(0, how);
                self.erase_rows(row + 1, rows, how);
            }
            1 => {
                self.erase_line(1, how);
                self.erase_rows(0, row, how);
            }
            2 => {
                self.keep_screen();
                self.cursor.pending_wrap = false;
                self.erase_rows(0, rows, how);
                // Protected text is now also in the history, so its rows need new line ids.
                if !self.modes.alt_screen && self.spares(how) {
                    for at in 0..rows {
                        let line = self.fresh_line();
                        self.relabel(at, line, 0);
                    }
                }
            }
            _ => {}
        }
    }

    /// Erase in line.
    pub(super) fn erase_line(&mut self, what: u16, how: Erase) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        let (from, to) = match what {
            0 => (col, cols),
            1 => (0, col + 1),
            2 => (0, cols),
            _ => return,
        };
        self.erase(usize::from(self.cursor.row), from, to, how);
        self.cursor.pending_wrap = false;
        if to == cols {
            self.cut(usize::from(self.cursor.row) + 1);
        }
    }

    /// ECH.
    pub(super) fn erase_chars(&mut self, count: u16) {
        let (col, cols) = (usize::from(self.cursor.col), self.cols());
        self.cursor.pending_wrap = false;
        let to = cols.min(col + usize::from(count));
        self.erase(usize::from(self.cursor.row), col, to, Erase::Plain);
        if to == cols {
            self.cut(usize::from(self.cursor.row) + 1);
        }
    }

    /// ICH.
    pub(super) fn insert_chars(&mut self, count: u16) {
        let (col, cols, style) = (usize::from(self.cursor.col), self.cols(), self.erase_style());
        self.cursor.pending_wrap = false;
        self.touch_cursor_row().insert(col, usize::from(count), style, cols);
        self.cut(usize::from(self.cursor.row) + 1);
    }

    /// DCH.
    pub(super) fn delete_chars(&mut self, count: u16) {
        let (col, cols, style) = (usize::from(self.cursor.col), self.cols(), self.erase_style());
        self.cursor.pending_wrap = false;
        self.touch_cursor_row().delete(col, usize::from(count), style, cols);
        self.cut(usize::from(self.cursor.row) + 1);
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

    /// DECALN: fills the screen with E.
    pub(super) fn alignment_test(&mut self) {
        self.reset_margins();
        self.cursor.origin = false;
        self.move_to(0, 0);
        self.renew_rows(0, usize::from(self.size.rows));
        let cols = self.cols();
        for row in self.screen_mut().iter_mut() {
            let cells = alloc::vec![Cell::ascii(b'E', StyleId(0)); cols];
            *row = Row::with_cells(row.line, 0, row.stamp, cells);
        }
    }

    /// SPA and EPA, DECSCA: switches protection of printed characters on or off.
    pub(super) fn protect(&mut self, on: bool, kind: Protection) {
        if on || kind == Protection::Dec {
            self.switches.protection = kind;
        }
        self.cursor.look = self.cursor.look.with_protection(on);
        self.look_changed();
    }

    /// Copies the primary screen's text into the history before it is cleared.
    pub(super) fn keep_screen(&mut self) {
        if self.modes.alt_screen {
            return;
        }
        let cols = self.cols();
        for at in 0..self.screens[0].used() {
            self.history.push(self.screens[0].row(at), cols, &self.tables);
        }
        self.history.hold_back();
    }

    /// Blanks the rows `from..to` and gives each a new line.
    pub(super) fn renew_rows(&mut self, from: usize, to: usize) {
        if from < to {
            self.cut(from);
            self.cut(to);
            self.renew(from, to);
        }
    }

    fn erase_rows(&mut self, from: usize, to: usize, how: Erase) {
        if !self.spares(how) {
            self.renew_rows(from, to);
            return;
        }
        for at in from..to {
            self.erase(at, 0, self.cols(), how);
            self.cut(at + 1);
        }
    }

    fn erase(&mut self, at: usize, from: usize, to: usize, how: Erase) {
        let (style, seq, spares) = (self.erase_style(), self.seq, self.spares(how));
        let row = self.screens[usize::from(self.modes.alt_screen)].row_mut(at);
        row.stamp = seq;
        if spares {
            let styles = &self.tables.styles;
            row.erase_unless(from, to, style, |id| styles.get(id).protected());
        } else {
            row.erase(from, to, style);
        }
    }

    fn spares(&self, how: Erase) -> bool {
        match self.switches.protection {
            Protection::Off => false,
            Protection::Iso => true,
            Protection::Dec => how == Erase::Selective,
        }
    }
}
