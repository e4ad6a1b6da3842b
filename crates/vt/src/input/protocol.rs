use serde::{Deserialize, Serialize};

/// Flag of the kitty protocol: keys that share legacy bytes are distinguished.
pub(crate) const DISAMBIGUATE: u8 = 1;
/// Repeats and releases are reported.
pub(crate) const EVENTS: u8 = 2;
/// The shifted key is reported, too.
pub(crate) const ALTERNATES: u8 = 4;
/// Every key is sent as an escape code, even if it types text.
pub(crate) const ALL_KEYS: u8 = 8;
/// The escape code includes the text that the key types.
pub(crate) const TEXT: u8 = 16;

const KNOWN: u8 = DISAMBIGUATE | EVENTS | ALTERNATES | ALL_KEYS | TEXT;

/// How many sets of flags can be pushed; the protocol leaves the limit to the terminal.
const DEPTH: usize = 8;

/// The kitty keyboard flags of one screen, and its stack of pushed flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Keyboard {
    flags: u8,
    saved: [u8; DEPTH],
    depth: u8,
}

impl Keyboard {
    /// The current flags.
    pub(crate) fn current(&self) -> u8 {
        self.flags
    }

    /// `CSI = flags ; mode u`: replaces the flags (1), adds flags (2) or removes flags (3).
    pub(crate) fn set(&mut self, flags: u16, mode: u16) {
        let flags = known(flags);
        match mode {
            1 => self.flags = flags,
            2 => self.flags |= flags,
            3 => self.flags &= !flags,
            _ => {}
        }
    }

    /// `CSI > flags u`: pushes the current flags; a full stack drops its oldest entry.
    pub(crate) fn push(&mut self, flags: u16) {
        if usize::from(self.depth) == DEPTH {
            self.saved.rotate_left(1);
            self.depth -= 1;
        }
        if let Some(slot) = self.saved.get_mut(usize::from(self.depth)) {
            *slot = self.flags;
            self.depth += 1;
        }
        self.flags = known(flags);
    }

    /// `CSI < count u`: pops flags; on an empty stack all flags are off.
    pub(crate) fn pop(&mut self, count: u16) {
        for _ in 0..count.min(DEPTH as u16 + 1) {
            self.flags = match self.depth.checked_sub(1) {
                Some(depth) => {
                    self.depth = depth;
                    self.saved.get_mut(usize::from(depth)).map(core::mem::take).unwrap_or_default()
                }
                None => 0,
            };
        }
    }

    /// Clears the flags and the stack.
    pub(crate) fn reset(&mut self) {
        *self = Keyboard::default();
    }

    /// Whether sequences could have produced this value.
    pub(crate) fn is_sound(&self) -> bool {
        let depth = usize::from(self.depth);
        depth <= DEPTH
            && self.flags & !KNOWN == 0
            && self.saved.iter().all(|flags| flags & !KNOWN == 0)
            && self.saved.iter().skip(depth).all(|flags| *flags == 0)
    }
}

fn known(flags: u16) -> u8 {
    (flags & u16::from(KNOWN)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_replaced_added_and_removed() {
        let mut keyboard = Keyboard::default();
        assert_eq!(keyboard.current(), 0);
        keyboard.set(0b101, 1);
        assert_eq!(keyboard.current(), 0b101);
        keyboard.set(0b010, 2);
        assert_eq!(keyboard.current(), 0b111);
        keyboard.set(0b101, 3);
        assert_eq!(keyboard.current(), 0b010);
        keyboard.set(0b11111, 4);
        assert_eq!(keyboard.current(), 0b010, "mode 4 does not exist");
        keyboard.set(0, 1);
        assert_eq!(keyboard, Keyboard::default());
    }

    #[test]
    fn unknown_flags_are_ignored() {
        let mut keyboard = Keyboard::default();
        keyboard.set(0xffff, 1);
        assert_eq!(keyboard.current(), 0b11111);
        keyboard.push(0b10_0001);
        assert_eq!(keyboard.current(), 1);
        assert!(keyboard.is_sound());
    }

    #[test]
    fn a_pop_restores_the_pushed_flags() {
        let mut keyboard = Keyboard::default();
        keyboard.set(2, 1);
        keyboard.push(5);
        keyboard.push(8);
        keyboard.set(1, 2);
        assert_eq!(keyboard.current(), 9);
        keyboard.pop(0);
        assert_eq!(keyboard.current(), 9);
        keyboard.pop(1);
        assert_eq!(keyboard.current(), 5);
        keyboard.pop(1);
        assert_eq!(keyboard.current(), 2);
        keyboard.pop(1);
        assert_eq!(keyboard, Keyboard::default(), "popping the last entry resets all flags");
        keyboard.push(3);
        keyboard.push(7);
        keyboard.pop(u16::MAX);
        assert_eq!(keyboard, Keyboard::default());
    }

    #[test]
    fn a_full_stack_drops_its_oldest_entry() {
        let mut keyboard = Keyboard::default();
        keyboard.set(31, 1);
        for flags in 1..=u16::try_from(DEPTH).unwrap() + 2 {
            keyboard.push(flags);
            assert!(keyboard.is_sound());
        }
        for flags in (2..=DEPTH + 1).rev() {
            keyboard.pop(1);
            assert_eq!(usize::from(keyboard.current()), flags);
        }
        keyboard.pop(1);
        assert_eq!(keyboard, Keyboard::default(), "31 and 1 were dropped");
    }

    #[test]
    fn values_that_no_sequence_produces_are_not_sound() {
        let zero = Keyboard::default();
        assert!(zero.is_sound());
        assert!(!Keyboard { flags: 32, ..zero }.is_sound());
        assert!(!Keyboard { depth: DEPTH as u8 + 1, ..zero }.is_sound());
        assert!(!Keyboard { saved: [64; DEPTH], depth: DEPTH as u8, ..zero }.is_sound());
        assert!(!Keyboard { saved: [1; DEPTH], ..zero }.is_sound(), "saved flags above the depth");
    }
}
