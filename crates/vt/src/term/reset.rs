use super::{Colors, Pen, Switches, Term};
use crate::input::protocol::Keyboard;
use crate::{EffectKind, Modes, Size};

impl Term {
    /// DECSTR: resets modes and style, but not the text or the cursor position.
    pub(super) fn soft_reset(&mut self) {
        let old = self.switches;
        self.switches = Switches {
            alternate_scroll: old.alternate_scroll,
            columns_allowed: old.columns_allowed,
            columns_keep: old.columns_keep,
            columns_132: old.columns_132,
            clusters: old.clusters,
            ..Switches::new(self.allow)
        };
        self.modes.application_cursor = false;
        self.modes.application_keypad = false;
        self.reset_margins();
        let Pen { row, col, pending_wrap, .. } = self.cursor;
        self.cursor = Pen { row, col, pending_wrap, ..Pen::default() };
        self.saved[usize::from(self.modes.alt_screen)] = Pen::default();
        self.soft_reset_keyboard();
        self.link = None;
        self.look_changed();
    }

    /// RIS: resets everything except the history, to which it first adds the screen's text.
    pub(super) fn hard_reset(&mut self) {
        self.leave_alternate();
        self.modes.alt_screen = false;
        self.keep_screen();
        let narrow = self.switches.columns_132.then_some(Size { cols: 80, rows: self.size.rows });
        self.modes = Modes::default();
        self.cursor = Pen::default();
        self.saved = [Pen::default(); 2];
        self.switches = Switches::new(self.allow);
        self.keyboards = [Keyboard::default(); 2];
        self.cursor_code = 0;
        self.last_char = None;
        self.link = None;
        self.frame = None;
        self.tabs = super::default_tabs(self.size.cols);
        self.colors = Colors::default();
        self.titles.reset();
        self.look_changed();
        self.reset_margins();
        for alternate in [true, false] {
            self.modes.alt_screen = alternate;
            self.renew_rows(0, usize::from(self.size.rows));
        }
        if let Some(size) = narrow {
            self.resize_by_program(size);
        }
    }

    /// DECCOLM: 132 or 80 columns, if the program may change the size.
    pub(super) fn set_columns(&mut self, wide: bool) {
        if !self.switches.columns_allowed || !self.allow.resize {
            return;
        }
        self.switches.columns_132 = wide;
        let keep = self.switches.columns_keep;
        self.resize_by_program(Size { cols: if wide { 132 } else { 80 }, rows: self.size.rows });
        self.reset_margins();
        if !keep {
            self.move_to(0, 0);
            self.keep_screen();
            self.renew_rows(0, usize::from(self.size.rows));
        }
    }

    /// Applies a size that the program chose; the caller must resize the PTY.
    pub(super) fn resize_by_program(&mut self, size: Size) {
        self.resize(size);
        self.effect(EffectKind::Resize(self.size));
    }
}
