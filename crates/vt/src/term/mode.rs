use super::Term;
use crate::params::Params;
use crate::{MouseEncoding, MouseMode};

impl Term {
    /// SM and RM.
    pub(super) fn set_ansi_modes(&mut self, params: &Params, on: bool) {
        for &mode in params.values() {
            match mode {
                4 => self.switches.insert = on,
                20 => self.modes.newline = on,
                _ => {}
            }
        }
    }

    /// Whether an ANSI mode is set, if it is one we know.
    pub(super) fn ansi_mode(&self, mode: u16) -> Option<bool> {
        match mode {
            4 => Some(self.switches.insert),
            20 => Some(self.modes.newline),
            _ => None,
        }
    }

    /// DECSET and DECRST.
    pub(super) fn set_dec_modes(&mut self, params: &Params, on: bool) {
        for &mode in params.values() {
            self.set_dec_mode(mode, on);
        }
    }

    pub(super) fn set_dec_mode(&mut self, mode: u16, on: bool) {
        match mode {
            1 => self.modes.application_cursor = on,
            5 => self.modes.reverse_screen = on,
            6 => {
                self.cursor.origin = on;
                self.move_to_addressed(0, 0);
            }
            7 => self.switches.autowrap = on,
            9 => self.set_mouse(MouseMode::X10, on),
            12 => self.set_cursor_blink(on),
            25 => self.switches.cursor_visible = on,
            47 => self.switch_screen(on),
            66 => self.modes.application_keypad = on,
            1000 => self.set_mouse(MouseMode::Normal, on),
            1002 => self.set_mouse(MouseMode::Button, on),
            1003 => self.set_mouse(MouseMode::Any, on),
            1004 => self.modes.focus_events = on,
            1005 => self.set_mouse_encoding(MouseEncoding::Utf8, on),
            1006 => self.set_mouse_encoding(MouseEncoding::Sgr, on),
            1007 => self.switches.alternate_scroll = on,
            1016 => self.set_mouse_encoding(MouseEncoding::SgrPixels, on),
            1047 => {
                if !on && self.modes.alt_screen {
                    self.renew_rows(0, self.size.rows);
                }
                self.switch_screen(on);
            }
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                self.save_cursor();
                self.switch_screen(true);
                self.renew_rows(0, self.size.rows);
            }
            1049 => {
                self.switch_screen(false);
                self.restore_cursor();
            }
            2004 => self.modes.bracketed_paste = on,
            2026 => self.modes.synchronized = on,
            _ => {}
        }
    }

    /// Whether a DEC mode is set, if it is one we know.
    pub(super) fn dec_mode(&self, mode: u16) -> Option<bool> {
        let modes = &self.modes;
        Some(match mode {
            1 => modes.application_cursor,
            5 => modes.reverse_screen,
            6 => self.cursor.origin,
            7 => self.switches.autowrap,
            9 => modes.mouse == MouseMode::X10,
            12 => matches!(self.cursor_code, 1 | 3 | 5),
            25 => self.switches.cursor_visible,
            47 | 1047 | 1049 => modes.alt_screen,
            66 => modes.application_keypad,
            1000 => modes.mouse == MouseMode::Normal,
            1002 => modes.mouse == MouseMode::Button,
            1003 => modes.mouse == MouseMode::Any,
            1004 => modes.focus_events,
            1005 => modes.mouse_encoding == MouseEncoding::Utf8,
            1006 => modes.mouse_encoding == MouseEncoding::Sgr,
            1007 => self.switches.alternate_scroll,
            1016 => modes.mouse_encoding == MouseEncoding::SgrPixels,
            2004 => modes.bracketed_paste,
            2026 => modes.synchronized,
            _ => return None,
        })
    }

    /// The cursor is one for both screens; only what is saved is each screen's own.
    fn switch_screen(&mut self, alternate: bool) {
        self.modes.alt_screen = alternate;
    }

    /// Switching any of the mouse modes off switches the mouse off, as in xterm.
    fn set_mouse(&mut self, mode: MouseMode, on: bool) {
        self.modes.mouse = if on { mode } else { MouseMode::Off };
    }

    /// Switching off an encoding that is not in force changes nothing.
    fn set_mouse_encoding(&mut self, encoding: MouseEncoding, on: bool) {
        if on {
            self.modes.mouse_encoding = encoding;
        } else if self.modes.mouse_encoding == encoding {
            self.modes.mouse_encoding = MouseEncoding::Legacy;
        }
    }

    /// DECSCUSR's odd numbers blink, the even ones after them do not.
    fn set_cursor_blink(&mut self, on: bool) {
        self.cursor_code = match (self.cursor_code, on) {
            (0 | 2, true) => 1,
            (code @ (4 | 6), true) => code - 1,
            (code @ (1 | 3 | 5), false) => code + 1,
            (code, _) => code,
        };
    }
}
