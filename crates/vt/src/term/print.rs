use super::{Charset, Term};
use crate::cell::char_width;

impl Term {
    /// Prints a run of printable ASCII, counting its bytes as it goes so that every row's stamp is
    /// the same however the run was cut.
    pub(crate) fn print_ascii(&mut self, run: &[u8]) {
        let plain = self.charset() == Charset::Ascii && !self.switches.insert;
        if !plain {
            for &byte in run {
                self.seq += 1;
                self.print(char::from(byte));
            }
            return;
        }
        let mut rest = run;
        while !rest.is_empty() {
            if self.cursor.pending_wrap && self.switches.autowrap {
                self.wrap();
            }
            let col = usize::from(self.cursor.col);
            let (now, later) = rest.split_at(rest.len().min(self.cols() - col));
            self.seq += now.len() as u64;
            let style = self.cursor.style;
            self.touch_cursor_row().write_ascii(col, now, style);
            self.advance_cursor(col + now.len());
            rest = later;
        }
        self.last_char = run.last().map(|&byte| char::from(byte));
    }

    /// Prints one character at the cursor.
    pub(crate) fn print(&mut self, c: char) {
        let c = self.translate(c);
        match char_width(c) {
            // A C1 control as a UTF-8 character: nothing to print, and obeying it is unsafe.
            None => {}
            Some(0) => self.combine(c),
            Some(width) => self.print_spacing(c, usize::from(width)),
        }
    }

    /// Prints the last character again (REP).
    pub(super) fn repeat(&mut self, count: u16) {
        if let Some(c) = self.last_char {
            for _ in 0..count {
                // It was translated when it was printed.
                self.print_spacing(c, usize::from(char_width(c).unwrap_or(1)));
            }
        }
    }

    fn print_spacing(&mut self, c: char, width: usize) {
        let cols = self.cols();
        if self.cursor.pending_wrap && self.switches.autowrap {
            self.wrap();
        }
        if usize::from(self.cursor.col) + width > cols {
            if !self.switches.autowrap {
                return;
            }
            let style = self.cursor.style;
            self.touch_cursor_row().write_filler(cols - 1, style);
            self.wrap();
        }
        let (col, style) = (usize::from(self.cursor.col), self.cursor.style);
        let insert = self.switches.insert;
        let row = self.touch_cursor_row();
        if insert {
            row.insert(col, width, style.erased(), cols);
        }
        row.write_char(col, c, width == 2, style);
        self.advance_cursor(col + width);
        self.last_char = Some(c);
    }

    /// Joins a character without width to the one before the cursor.
    fn combine(&mut self, c: char) {
        let col = usize::from(self.cursor.col);
        let Some(col) = (if self.cursor.pending_wrap { Some(col) } else { col.checked_sub(1) }) else {
            return;
        };
        self.touch_cursor_row().combine(col, c);
    }

    fn advance_cursor(&mut self, col: usize) {
        self.cursor.pending_wrap = col >= self.cols();
        self.cursor.col = col.min(self.cols() - 1) as u16;
    }

    fn charset(&self) -> Charset {
        self.cursor.charsets.get(usize::from(self.cursor.active)).copied().unwrap_or_default()
    }

    fn translate(&self, c: char) -> char {
        match (self.charset(), c) {
            (Charset::British, '#') => '£',
            (Charset::Graphics, '_'..='~') => {
                let index = c as usize - '_' as usize;
                GRAPHICS.get(index).copied().unwrap_or(c)
            }
            _ => c,
        }
    }
}

/// The DEC special graphics set, from `_` to `~`.
const GRAPHICS: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];
