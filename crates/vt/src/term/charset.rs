use serde::{Deserialize, Serialize};

use super::Term;

/// A set of 94 characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    British,
    Graphics,
}

impl Term {
    /// SCS.
    pub(super) fn designate(&mut self, slot: usize, set: u8) {
        let charset = match set {
            b'0' => Charset::Graphics,
            b'A' => Charset::British,
            // National sets are obsolete and treated as ASCII.
            b'B'
            | b'1'
            | b'2'
            | b'4'..=b'7'
            | b'='
            | b'C'
            | b'E'
            | b'H'
            | b'K'
            | b'Q'
            | b'R'
            | b'Y'
            | b'Z' => Charset::Ascii,
            _ => return,
        };
        if let Some(slot) = self.cursor.charsets.get_mut(slot) {
            *slot = charset;
        }
    }

    /// Whether ASCII is printed unchanged.
    pub(super) fn is_plain_set(&self) -> bool {
        self.switches.single_shift == 0 && self.set(self.cursor.active) == Charset::Ascii
    }

    pub(super) fn translate(&mut self, c: char) -> char {
        let shifted = core::mem::take(&mut self.switches.single_shift);
        let set = self.set(if shifted > 0 { shifted } else { self.cursor.active });
        match (set, c) {
            (Charset::British, '#') => '£',
            (Charset::Graphics, '_'..='~') => {
                let index = c as usize - '_' as usize;
                GRAPHICS.get(index).copied().unwrap_or(c)
            }
            _ => c,
        }
    }

    fn set(&self, slot: u8) -> Charset {
        self.cursor.charsets.get(usize::from(slot)).copied().unwrap_or_default()
    }
}

/// The DEC special graphics set, from `_` to `~`.
const GRAPHICS: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];
