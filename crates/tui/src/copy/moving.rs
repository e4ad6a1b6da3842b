//! Moves the cursor of copy mode: by keys as in vi, by the wheel, by the mouse.

use cotty_vt::{Key, KeyCode};

use super::{At, CopyMode, Outcome, Shape};

impl CopyMode {
    pub(super) fn go(&mut self, key: Key) {
        let page = usize::from(self.height.saturating_sub(1).max(1));
        let last = self.past.len() - 1;
        let At { row, col } = self.cursor;
        match (key.code, key.ctrl) {
            (KeyCode::Char('j') | KeyCode::Down, _) => self.move_to(row + 1),
            (KeyCode::Char('k') | KeyCode::Up, _) => self.move_to(row.saturating_sub(1)),
            (KeyCode::Char('h') | KeyCode::Left, _) => self.cursor.col = col.saturating_sub(1),
            (KeyCode::Char('l') | KeyCode::Right, _) => {
                self.cursor.col = (col + 1).min(self.past.cols().saturating_sub(1));
            }
            (KeyCode::Char('u'), true) => self.scroll_by(-(page as isize / 2).max(1)),
            (KeyCode::Char('d'), true) => self.scroll_by((page as isize / 2).max(1)),
            (KeyCode::PageUp, _) | (KeyCode::Char('b'), true) => self.scroll_by(-(page as isize)),
            (KeyCode::PageDown, _) | (KeyCode::Char('f'), true) => self.scroll_by(page as isize),
            (KeyCode::Char('y'), true) => self.scroll_by(-1),
            (KeyCode::Char('e'), true) => self.scroll_by(1),
            (KeyCode::Char('g'), false) => self.move_to(0),
            (KeyCode::Char('G'), _) => self.move_to(last),
            (KeyCode::Char('H'), _) => self.move_to(self.top),
            (KeyCode::Char('M'), _) => self.move_to(self.top + usize::from(self.height) / 2),
            (KeyCode::Char('L'), _) => self.move_to(self.top + usize::from(self.height) - 1),
            (KeyCode::Char('0' | '^') | KeyCode::Home, false) => self.cursor.col = 0,
            (KeyCode::Char('$') | KeyCode::End, false) => self.cursor.col = self.past.last_col(row),
            (KeyCode::Char('w'), false) => self.next_word(),
            (KeyCode::Char('b'), false) => self.previous_word(),
            _ => {}
        }
    }

    fn move_to(&mut self, row: usize) {
        self.cursor.row = row.min(self.past.len() - 1);
        self.show_cursor();
    }

    /// Scrolls the visible rows, and the cursor with them.
    fn scroll_by(&mut self, rows: isize) {
        let most = self.past.len().saturating_sub(usize::from(self.height));
        self.top = self.top.saturating_add_signed(rows).min(most);
        self.move_to(self.cursor.row.saturating_add_signed(rows));
    }

    /// Scrolls until the cursor is visible.
    pub(super) fn show_cursor(&mut self) {
        let height = usize::from(self.height);
        let most = self.past.len().saturating_sub(height);
        let lowest = self.cursor.row.saturating_sub(height - 1);
        self.top = self.top.clamp(lowest, self.cursor.row.max(lowest)).min(most.max(lowest));
    }

    /// Scrolls until the cursor is visible; centres it if it was not.
    pub(super) fn show_cursor_centred(&mut self) {
        let height = usize::from(self.height);
        if self.cursor.row < self.top || self.cursor.row >= self.top + height {
            self.top = self.cursor.row.saturating_sub(height / 2);
            self.top = self.top.min(self.past.len().saturating_sub(height));
        }
        self.show_cursor();
    }

    /// The kind of each character of a row, by column: blank (0), punctuation (1), or part of a word (2).
    fn kinds(&self, row: usize) -> Vec<(u16, u8)> {
        let kind = |text: &str| match text.chars().next() {
            Some(c) if c.is_alphanumeric() || c == '_' => 2,
            Some(' ') | None => 0,
            Some(_) => 1,
        };
        self.past.glyphs(row).iter().map(|glyph| (glyph.col, kind(&glyph.text))).collect()
    }

    /// The columns where words begin.
    fn words(&self, row: usize) -> Vec<u16> {
        let kinds = self.kinds(row);
        let before = std::iter::once(0).chain(kinds.iter().map(|(_, kind)| *kind));
        let begins = kinds.iter().zip(before).filter(|((_, kind), before)| *kind != 0 && kind != before);
        begins.map(|((col, _), _)| *col).collect()
    }

    fn next_word(&mut self) {
        let col = self.cursor.col;
        let here = self.words(self.cursor.row).into_iter().find(|begin| *begin > col);
        let below = || {
            (self.cursor.row + 1..self.past.len())
                .find_map(|row| Some(At { row, col: *self.words(row).first()? }))
        };
        if let Some(at) = here.map(|col| At { col, ..self.cursor }).or_else(below) {
            self.cursor = at;
            self.show_cursor();
        }
    }

    fn previous_word(&mut self) {
        let col = self.cursor.col;
        let here = self.words(self.cursor.row).into_iter().rfind(|begin| *begin < col);
        let above =
            || (0..self.cursor.row).rev().find_map(|row| Some(At { row, col: *self.words(row).last()? }));
        if let Some(at) = here.map(|col| At { col, ..self.cursor }).or_else(above) {
            self.cursor = at;
            self.show_cursor();
        }
    }

    /// Scrolls a page up.
    pub(crate) fn page_up(&mut self) {
        self.go(KeyCode::PageUp.into());
    }

    /// Scrolls with the wheel. If the wheel started the mode, scrolling to the end leaves it.
    pub(crate) fn wheel(&mut self, rows: isize, first: bool) -> Outcome {
        self.by_wheel |= first;
        self.scroll_by(rows);
        let at_end = self.top + usize::from(self.height) >= self.past.len();
        match self.by_wheel && rows > 0 && at_end && self.mark.is_none() {
            true => Outcome::Leave,
            false => Outcome::Stay,
        }
    }

    /// The mouse button was pressed over a visible cell.
    pub(crate) fn press(&mut self, row: u16, col: u16) {
        self.mark = None;
        self.point(row, col);
    }

    /// The mouse was dragged to this cell.
    pub(crate) fn drag(&mut self, row: u16, col: u16) {
        self.mark = self.mark.or(Some((self.cursor, Shape::Flow)));
        self.point(row, col);
    }

    /// The mouse button was released: copies the selection.
    pub(crate) fn release(&mut self) -> Outcome {
        match self.selection() {
            Some(text) if !text.is_empty() => Outcome::Copy(text),
            _ => Outcome::Stay,
        }
    }

    fn point(&mut self, row: u16, col: u16) {
        let row = (self.top + usize::from(row.min(self.height - 1))).min(self.past.len() - 1);
        self.cursor = At { row, col: col.min(self.past.cols().saturating_sub(1)) };
    }
}
