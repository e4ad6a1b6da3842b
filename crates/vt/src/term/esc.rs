use super::{Protection, Term};
use crate::effect::EffectKind;

impl Term {
    /// Performs a C0 control.
    pub(crate) fn execute(&mut self, control: u8) {
        self.previous = None;
        self.last_char = None;
        match control {
            0x07 => self.effect(EffectKind::Bell),
            0x08 => self.move_left(1),
            0x09 => self.tab_forward(1),
            0x0a..=0x0c => {
                self.index();
                if self.modes.newline {
                    self.cursor.col = 0;
                }
            }
            0x0d => self.move_to(self.cursor.row, 0),
            0x0e => self.cursor.active = 1,
            0x0f => self.cursor.active = 0,
            _ => {}
        }
    }

    /// Performs an escape sequence without parameters.
    pub(crate) fn esc(&mut self, intermediate: u8, last: u8) {
        self.previous = None;
        self.last_char = None;
        match (intermediate, last) {
            (0, b'7') => self.save_cursor(),
            (0, b'8') => self.restore_cursor(),
            (0, b'=') => self.modes.application_keypad = true,
            (0, b'>') => self.modes.application_keypad = false,
            (0, b'D') => self.index(),
            (0, b'E') => {
                self.index();
                self.cursor.col = 0;
            }
            (0, b'H') => self.set_tab(),
            (0, b'M') => self.reverse_index(),
            (0, b'N') => self.switches.single_shift = 2,
            (0, b'O') => self.switches.single_shift = 3,
            (0, b'V') => self.protect(true, Protection::Iso),
            (0, b'W') => self.protect(false, Protection::Iso),
            (0, b'Z') => self.primary_attributes(),
            (0, b'c') => self.hard_reset(),
            (0, b'n') => self.cursor.active = 2,
            (0, b'o') => self.cursor.active = 3,
            (b'#', b'8') => self.alignment_test(),
            (b'('..=b'+', set) => self.designate(usize::from(intermediate - b'('), set),
            _ => {}
        }
    }
}
