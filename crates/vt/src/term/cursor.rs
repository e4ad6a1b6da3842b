use super::Term;

impl Term {
    /// Moves to a row and column of the screen, regardless of origin mode.
    pub(super) fn move_to(&mut self, row: u16, col: u16) {
        self.cursor.row = row.min(self.last_row());
        self.cursor.col = col.min(self.size.cols - 1);
        self.cursor.pending_wrap = false;
    }

    /// CUP and VPA: in origin mode, rows count from the top margin and stay inside the region.
    pub(super) fn move_to_addressed(&mut self, row: u16, col: u16) {
        let row = if self.cursor.origin { row.saturating_add(self.top).min(self.bottom) } else { row };
        self.move_to(row, col);
    }

    /// VPR: ignores the margins, except in origin mode.
    pub(super) fn move_to_row_below(&mut self, count: u16) {
        let limit = if self.cursor.origin { self.bottom } else { self.last_row() };
        self.move_to(self.cursor.row.saturating_add(count).min(limit), self.cursor.col);
    }

    /// CUU: stops at the top margin, unless it starts above it.
    pub(super) fn move_up(&mut self, count: u16) {
        let limit = if self.cursor.row >= self.top { self.top } else { 0 };
        self.move_to(self.cursor.row.saturating_sub(count).max(limit), self.cursor.col);
    }

    /// CUD: stops at the bottom margin, unless it starts below it.
    pub(super) fn move_down(&mut self, count: u16) {
        let limit = if self.cursor.row <= self.bottom { self.bottom } else { self.last_row() };
        self.move_to(self.cursor.row.saturating_add(count).min(limit), self.cursor.col);
    }

    pub(super) fn move_right(&mut self, count: u16) {
        self.move_to(self.cursor.row, self.cursor.col.saturating_add(count));
    }

    /// CUB and BS.
    pub(super) fn move_left(&mut self, count: u16) {
        let switches = self.switches;
        if switches.autowrap && (switches.reverse_wrap || switches.reverse_wrap_all) {
            self.move_back(count);
        } else {
            self.move_to(self.cursor.row, self.cursor.col.saturating_sub(count));
        }
    }

    /// Moves left with reverse wraparound: from the first column to the end of the row above, and from the top
    /// margin to the bottom margin. (xterm 383 and later limit mode 45 to wrapped rows; this is their mode 1045.)
    fn move_back(&mut self, count: u16) {
        // At a pending wrap, the first step only cancels the wrap.
        let mut left = count - u16::from(self.cursor.pending_wrap);
        self.cursor.pending_wrap = false;
        while left > 0 {
            if self.cursor.col > 0 {
                let steps = left.min(self.cursor.col);
                self.cursor.col -= steps;
                left -= steps;
                continue;
            }
            let row = self.cursor.row;
            self.cursor.row = match row.checked_sub(1).filter(|_| row != self.top) {
                Some(above) => above,
                None => {
                    if row == self.top {
                        self.bottom
                    } else {
                        self.last_row()
                    }
                }
            };
            self.cursor.col = self.size.cols - 1;
            left -= 1;
        }
    }

    /// HT and CHT; as in xterm, a pending wrap stays pending, unless mode 41 is set.
    pub(super) fn tab_forward(&mut self, count: u16) {
        if self.cursor.pending_wrap && self.switches.tab_wraps {
            self.wrap();
        }
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

    /// DECSC; each screen has its own saved cursor.
    pub(super) fn save_cursor(&mut self) {
        self.saved[usize::from(self.modes.alt_screen)] = self.cursor;
    }

    /// DECRC.
    pub(super) fn restore_cursor(&mut self) {
        self.cursor = self.saved[usize::from(self.modes.alt_screen)];
        self.look_changed();
    }

    /// DECSTBM, rows from 1; a region of fewer than two rows is refused.
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
}
