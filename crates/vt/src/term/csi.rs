use super::edit::Erase;
use super::{Protection, Term};
use crate::parse::Header;
use crate::parse::params::Params;

impl Term {
    /// Performs a control sequence; an unknown one does nothing.
    pub(crate) fn csi(&mut self, header: &Header, last: u8) {
        let params = &header.params;
        if last != b'b' {
            self.last_char = None;
        }
        if last != b'm' {
            self.previous = None;
            // Colons have a meaning only in SGR; elsewhere the sequence is ignored.
            if params.has_subs() {
                return;
            }
        }
        match (header.private, header.intermediate, last) {
            (0, 0, _) => self.csi_plain(params, last),
            (b'?', 0, b'J') => self.erase_display(params.get(0), Erase::Selective),
            (b'?', 0, b'K') => self.erase_line(params.get(0), Erase::Selective),
            (0, b'"', b'q') => self.protect(params.get(0) == 1, Protection::Dec),
            // DECST8C.
            (b'?', 0, b'W') if params.get(0) == 5 => self.tabs = super::default_tabs(self.size.cols),
            (b'?', 0, b'h') => self.set_dec_modes(params, true),
            (b'?', 0, b'l') => self.set_dec_modes(params, false),
            (b'?', 0, b'n') => self.report_dec_status(params.get(0)),
            (b'<' | b'=' | b'>' | b'?', 0, b'u') | (b'>', 0, b'f' | b'm' | b'n') | (b'?', 0, b'g' | b'm') => {
                self.keyboard_sequence(header.private, params, last)
            }
            (b'?', b'$', b'p') => self.report_dec_mode(params.get(0)),
            (0, b'$', b'p') => self.report_ansi_mode(params.get(0)),
            (0, b'!', b'p') => self.soft_reset(),
            (0, b' ', b'q') => self.set_cursor_style(params.get(0)),
            (b'>', 0, b'c') if params.get(0) == 0 => self.secondary_attributes(),
            (b'=', 0, b'c') if params.get(0) == 0 => self.tertiary_attributes(),
            (b'>', 0, b'q') if params.get(0) == 0 => self.report_version(),
            (b'>', 0, b't') => self.set_title_modes(params, true),
            (b'>', 0, b'T') => self.set_title_modes(params, false),
            (0, b'*', b'y') => self.report_checksum(params),
            _ => {}
        }
    }

    fn csi_plain(&mut self, params: &Params, last: u8) {
        let n = params.count(0);
        match last {
            b'@' => self.insert_chars(n),
            b'A' => self.move_up(n),
            b'B' => self.move_down(n),
            b'C' | b'a' => self.move_right(n),
            // HPB (ECMA-48) is the same as CUB in xterm.
            b'D' | b'j' => self.move_left(n),
            b'E' => {
                self.move_down(n);
                self.cursor.col = 0;
            }
            b'F' => {
                self.move_up(n);
                self.cursor.col = 0;
            }
            b'G' | b'`' => self.move_to(self.cursor.row, n - 1),
            b'H' | b'f' => self.move_to_addressed(n - 1, params.count(1) - 1),
            b'I' => self.tab_forward(n),
            b'J' => self.erase_display(params.get(0), Erase::Plain),
            b'K' => self.erase_line(params.get(0), Erase::Plain),
            b'L' => self.insert_lines(n),
            b'M' => self.delete_lines(n),
            b'P' => self.delete_chars(n),
            b'S' => self.scroll_up(self.top, self.bottom, n),
            // With more parameters it is xterm's mouse highlight tracking.
            b'T' if params.values().len() <= 1 => self.scroll_down(self.top, self.bottom, n),
            b'^' => self.scroll_down(self.top, self.bottom, n),
            b'X' => self.erase_chars(n),
            b'Z' => self.tab_backward(n),
            b'b' => self.repeat(n),
            b'c' if params.get(0) == 0 => self.primary_attributes(),
            b'd' => self.move_to_addressed(n - 1, self.cursor.col),
            b'e' => self.move_to_row_below(n),
            b'g' => self.clear_tabs(params.get(0)),
            b'h' => self.set_ansi_modes(params, true),
            b'l' => self.set_ansi_modes(params, false),
            b'm' => self.select_style(params),
            b'n' => self.report_status(params.get(0)),
            b'r' => self.set_margins(n, params.get(1)),
            b's' if params.is_empty() => self.save_cursor(),
            b't' => self.window(params),
            b'u' if params.is_empty() => self.restore_cursor(),
            _ => {}
        }
    }

    /// SGR.
    #[inline]
    pub(crate) fn select_style(&mut self, params: &Params) {
        self.last_char = None;
        super::sgr::apply(&mut self.cursor.look, params);
        self.look_changed();
    }

    fn set_cursor_style(&mut self, code: u16) {
        if let 0..=6 = code {
            self.cursor_code = code as u8;
        }
    }
}
