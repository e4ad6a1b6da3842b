use super::Term;
use crate::parse::params::Params;
use crate::{MouseEncoding, MouseMode};

impl Term {
    /// SM and RM.
    pub(super) fn set_ansi_modes(&mut self, params: &Params, on: bool) {
        for &mode in params.values() {
            match mode {
                2 => self.switches.keyboard_locked = on,
                4 => self.switches.insert = on,
                12 => self.switches.local_echo_off = on,
                20 => self.modes.newline = on,
                _ => {}
            }
        }
    }

    /// Whether an ANSI mode is set; `None` for an unknown mode.
    pub(super) fn ansi_mode(&self, mode: u16) -> Option<bool> {
        match mode {
            2 => Some(self.switches.keyboard_locked),
            4 => Some(self.switches.insert),
            12 => Some(self.switches.local_echo_off),
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
            3 => self.set_columns(on),
            5 => self.modes.reverse_screen = on,
            6 => {
                self.cursor.origin = on;
                self.move_to_addressed(0, 0);
            }
            7 => self.switches.autowrap = on,
            9 => self.set_mouse(MouseMode::X10, on),
            12 => self.set_cursor_blink(on),
            25 => self.switches.cursor_visible = on,
            40 => self.switches.columns_allowed = on,
            41 => self.switches.tab_wraps = on,
            45 => self.switches.reverse_wrap = on,
            47 => self.switch_screen(on),
            66 => self.modes.application_keypad = on,
            67 => self.modes.backarrow_backspace = on,
            95 => self.switches.columns_keep = on,
            1000 => self.set_mouse(MouseMode::Normal, on),
            1002 => self.set_mouse(MouseMode::Button, on),
            1003 => self.set_mouse(MouseMode::Any, on),
            1004 => self.modes.focus_events = on,
            1005 => self.set_mouse_encoding(MouseEncoding::Utf8, on),
            1006 => self.set_mouse_encoding(MouseEncoding::Sgr, on),
            1007 => self.switches.alternate_scroll = on,
            1016 => self.set_mouse_encoding(MouseEncoding::SgrPixels, on),
            1045 => self.switches.reverse_wrap_all = on,
            1047 => {
                if !on && self.modes.alt_screen {
                    self.leave_alternate();
                    self.renew_rows(0, usize::from(self.size.rows));
                }
                self.switch_screen(on);
            }
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                self.save_cursor();
                self.switch_screen(true);
                self.renew_rows(0, usize::from(self.size.rows));
            }
            1049 => {
                self.switch_screen(false);
                self.restore_cursor();
            }
            2004 => self.modes.bracketed_paste = on,
            2026 => self.synchronize(on),
            2027 => self.switches.clusters = on,
            _ => {}
        }
    }

    /// Whether a DEC mode is set; `None` for an unknown mode.
    pub(super) fn dec_mode(&self, mode: u16) -> Option<bool> {
        let modes = &self.modes;
        Some(match mode {
            1 => modes.application_cursor,
            3 => self.switches.columns_132,
            5 => modes.reverse_screen,
            6 => self.cursor.origin,
            7 => self.switches.autowrap,
            9 => modes.mouse == MouseMode::X10,
            12 => matches!(self.cursor_code, 1 | 3 | 5),
            25 => self.switches.cursor_visible,
            40 => self.switches.columns_allowed,
            41 => self.switches.tab_wraps,
            45 => self.switches.reverse_wrap,
            47 | 1047 | 1049 => modes.alt_screen,
            66 => modes.application_keypad,
            67 => modes.backarrow_backspace,
            95 => self.switches.columns_keep,
            1000 => modes.mouse == MouseMode::Normal,
            1002 => modes.mouse == MouseMode::Button,
            1003 => modes.mouse == MouseMode::Any,
            1004 => modes.focus_events,
            1005 => modes.mouse_encoding == MouseEncoding::Utf8,
            1006 => modes.mouse_encoding == MouseEncoding::Sgr,
            1007 => self.switches.alternate_scroll,
            1016 => modes.mouse_encoding == MouseEncoding::SgrPixels,
            1045 => self.switches.reverse_wrap_all,
            2004 => modes.bracketed_paste,
            2026 => modes.synchronized,
            2027 => self.switches.clusters,
            _ => return None,
        })
    }

    /// Switches the screen. Both screens share the cursor; each has its own saved cursor and keyboard flags.
    fn switch_screen(&mut self, alternate: bool) {
        if !alternate {
            self.leave_alternate();
        }
        self.modes.alt_screen = alternate;
        // The character before the cursor is now a different one. (A shell's mark can switch the screen, too.)
        self.previous = None;
        self.keyboard_changed();
    }

    /// Adds the settled rows of a full-screen program to the alternate-screen history.
    pub(super) fn leave_alternate(&mut self) {
        if self.modes.alt_screen {
            self.alternate_history.leave();
        }
    }

    /// Begins or ends a frame. Until it ends, readers see the screen from before it.
    fn synchronize(&mut self, on: bool) {
        if on && !self.modes.synchronized {
            let effects = core::mem::take(&mut self.effects);
            self.frame = Some(alloc::boxed::Box::new(self.clone()));
            self.effects = effects;
        } else if !on {
            self.frame = None;
        }
        self.modes.synchronized = on;
    }

    /// Resetting any mouse mode switches mouse reports off, as in xterm.
    fn set_mouse(&mut self, mode: MouseMode, on: bool) {
        self.modes.mouse = if on { mode } else { MouseMode::Off };
    }

    /// Resetting an encoding that is not current changes nothing.
    fn set_mouse_encoding(&mut self, encoding: MouseEncoding, on: bool) {
        if on {
            self.modes.mouse_encoding = encoding;
        } else if self.modes.mouse_encoding == encoding {
            self.modes.mouse_encoding = MouseEncoding::Legacy;
        }
    }

    /// Mode 12. In DECSCUSR, odd numbers blink; the following even number is the same shape without blinking.
    fn set_cursor_blink(&mut self, on: bool) {
        self.cursor_code = match (self.cursor_code, on) {
            (0 | 2, true) => 1,
            (code @ (4 | 6), true) => code - 1,
            (code @ (1 | 3 | 5), false) => code + 1,
            (code, _) => code,
        };
    }
}
