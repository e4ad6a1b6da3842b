use super::{Pen, Term};

impl Term {
    /// Moves to a row and column of the screen, whatever the origin mode.
    pub(super) fn move_to(&mut self, row: u16, col: u16) {
        self.cursor.row = row.min(self.last_row());
        self.cursor.col = col.min(self.size.cols - 1);
        self.cursor.pending_wrap = false;
    }

    /// CUP and VPA: rows count from the region's top in origin mode, and stay inside it.
    pub(super) fn move_to_addressed(&mut self, row: u16, col: u16) {
        let row = if self.cursor.origin { row.saturating_add(self.top).min(self.bottom) } else { row };
        self.move_to(row, col);
    }

    /// CUU: stops at the region's top, unless it began above it.
    pub(super) fn move_up(&mut self, count: u16) {
        let limit = if self.cursor.row >= self.top { self.top } else { 0 };
        self.move_to(self.cursor.row.saturating_sub(count).max(limit), self.cursor.col);
    }

    /// CUD: stops at the region's bottom, unless it began below it.
    pub(super) fn move_down(&mut self, count: u16) {
        let limit = if self.cursor.row <= self.bottom { self.bottom } else { self.last_row() };
        self.move_to(self.cursor.row.saturating_add(count).min(limit), self.cursor.col);
    }

    pub(super) fn move_right(&mut self, count: u16) {
        self.move_to(self.cursor.row, self.cursor.col.saturating_add(count));
    }

    pub(super) fn move_left(&mut self, count: u16) {
        self.move_to(self.cursor.row, self.cursor.col.saturating_sub(count));
    }

    /// HT and CHT; as in xterm a wrap that is due stays due.
    pub(super) fn tab_forward(&mut self, count: u16) {
        for _ in 0..count.min(self.size.cols) {
            let from = usize::from(self.cursor.col) + 1;
            let next = self.tabs.iter().skip(from).position(|stop| *stop).map(|n| from + n);
            self.cursor.col = next.map_or(self.size.cols - 1, |col| col as u16);
        }
    }

    /// CBT.
    pub(super) fn tab_backward(&mut self, count: u16) {
        self.cursor.pending_wrap = false;
        for _ in 0..count.min(self.size.cols) {
            let before = usize::from(self.cursor.col);
            let previous = self.tabs.iter().take(before).rposition(|stop| *stop);
            self.cursor.col = previous.unwrap_or(0) as u16;
        }
    }

    pub(super) fn set_tab(&mut self) {
        if let Some(stop) = self.tabs.get_mut(usize::from(self.cursor.col)) {
            *stop = true;
        }
    }

    /// TBC.
    pub(super) fn clear_tabs(&mut self, what: u16) {
        match what {
            0 => {
                if let Some(stop) = self.tabs.get_mut(usize::from(self.cursor.col)) {
                    *stop = false;
                }
            }
            3 => self.tabs.fill(false),
            _ => {}
        }
    }

    /// DECSC; each screen has its own.
    pub(super) fn save_cursor(&mut self) {
        self.saved[usize::from(self.modes.alt_screen)] = self.cursor;
    }

    /// DECRC.
    pub(super) fn restore_cursor(&mut self) {
        self.cursor = self.saved[usize::from(self.modes.alt_screen)];
    }

    /// DECSTBM, rows from 1; a region of less than two rows is refused.
    pub(super) fn set_margins(&mut self, top: u16, bottom: u16) {
        let bottom = if bottom == 0 { self.size.rows } else { bottom.min(self.size.rows) };
        if top < bottom {
            self.top = top - 1;
            self.bottom = bottom - 1;
            self.move_to_addressed(0, 0);
        }
    }

    pub(super) fn reset_margins(&mut self) {
        self.top = 0;
        self.bottom = self.last_row();
    }

    /// DECSTR: back to sane modes without touching the text or the cursor's place.
    pub(super) fn soft_reset(&mut self) {
        self.switches =
            super::Switches { alternate_scroll: self.switches.alternate_scroll, ..Default::default() };
        self.modes.application_cursor = false;
        self.modes.application_keypad = false;
        self.reset_margins();
        let at = (self.cursor.row, self.cursor.col);
        self.cursor = Pen { row: at.0, col: at.1, ..Pen::default() };
        self.saved[usize::from(self.modes.alt_screen)] = Pen::default();
    }

    /// RIS: as new, but for the history, into which the screen's text goes first.
    pub(super) fn hard_reset(&mut self) {
        self.modes = crate::Modes::default();
        self.keep_screen();
        self.cursor = Pen::default();
        self.saved = [Pen::default(); 2];
        self.switches = super::Switches::default();
        self.cursor_code = 0;
        self.last_char = None;
        self.tabs = super::default_tabs(self.size.cols);
        self.reset_margins();
        for alternate in [true, false] {
            self.modes.alt_screen = alternate;
            self.renew_rows(0, self.size.rows);
        }
    }
}
