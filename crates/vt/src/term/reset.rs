use super::{Colors, Pen, Switches, Term};
use crate::input::protocol::Keyboard;
use crate::{EffectKind, Modes, Size};

impl Term {
    /// DECSTR: back to sane modes without touching the text or the cursor's place.
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

    /// RIS: as new, but for the history, into which the screen's text goes first.
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

    /// DECCOLM: 132 columns or 80, if the owner allows a program to change the size.
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

    /// A size that the program chose: the embedder has to give it to the PTY.
    pub(super) fn resize_by_program(&mut self, size: Size) {
        self.resize(size);
        self.effect(EffectKind::Resize(self.size));
    }
}
