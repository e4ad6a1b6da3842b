use serde::{Deserialize, Serialize};

/// The kitty protocol's flags: keys that share bytes are told apart.
pub(crate) const DISAMBIGUATE: u8 = 1;
/// Repeats and releases are told.
pub(crate) const EVENTS: u8 = 2;
/// The shifted key is told too.
pub(crate) const ALTERNATES: u8 = 4;
/// Every key is an escape code, also one that types text.
pub(crate) const ALL_KEYS: u8 = 8;
/// The text that a key types is told in its escape code.
pub(crate) const TEXT: u8 = 16;

const KNOWN: u8 = DISAMBIGUATE | EVENTS | ALTERNATES | ALL_KEYS | TEXT;

/// How many sets of flags can be put aside; the protocol leaves the bound to the terminal.
const DEPTH: usize = 8;

/// The kitty keyboard protocol's flags of one screen, and those pushed below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Keyboard {
    flags: u8,
    saved: [u8; DEPTH],
    depth: u8,
}

impl Keyboard {
    /// The flags in force.
    pub(crate) fn current(&self) -> u8 {
        self.flags
    }

    /// `CSI = flags ; mode u`: replaces the flags (1), adds to them (2) or takes from them (3).
    pub(crate) fn set(&mut self, flags: u16, mode: u16) {
        let flags = known(flags);
        match mode {
            1 => self.flags = flags,
            2 => self.flags |= flags,
            3 => self.flags &= !flags,
            _ => {}
        }
    }

    /// `CSI > flags u`: puts the flags in force aside, the oldest giving way when there is no room.
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

    /// `CSI < count u`: takes back what was put aside; past the last one all flags are off.
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

    /// As new.
    pub(crate) fn reset(&mut self) {
        *self = Keyboard::default();
    }

    /// Whether a restored value is one that sequences could have made.
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
    fn flags_are_set_added_and_taken_away() {
        let mut keyboard = Keyboard::default();
        assert_eq!(keyboard.current(), 0);
        keyboard.set(0b101, 1);
        assert_eq!(keyboard.current(), 0b101);
        keyboard.set(0b010, 2);
        assert_eq!(keyboard.current(), 0b111);
        keyboard.set(0b101, 3);
        assert_eq!(keyboard.current(), 0b010);
        keyboard.set(0b11111, 4);
        assert_eq!(keyboard.current(), 0b010, "there is no fourth way");
        keyboard.set(0, 1);
        assert_eq!(keyboard, Keyboard::default());
    }

    #[test]
    fn flags_that_do_not_exist_are_dropped() {
        let mut keyboard = Keyboard::default();
        keyboard.set(0xffff, 1);
        assert_eq!(keyboard.current(), 0b11111);
        keyboard.push(0b10_0001);
        assert_eq!(keyboard.current(), 1);
        assert!(keyboard.is_sound());
    }

    #[test]
    fn a_pop_gives_back_what_a_push_put_aside() {
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
        assert_eq!(keyboard, Keyboard::default(), "an emptied stack resets all flags");
        keyboard.push(3);
        keyboard.push(7);
        keyboard.pop(u16::MAX);
        assert_eq!(keyboard, Keyboard::default());
    }

    #[test]
    fn a_full_stack_evicts_its_oldest() {
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
        assert_eq!(keyboard, Keyboard::default(), "31 and 1 were evicted");
    }

    #[test]
    fn what_no_sequence_makes_is_not_sound() {
        let zero = Keyboard::default();
        assert!(zero.is_sound());
        assert!(!Keyboard { flags: 32, ..zero }.is_sound());
        assert!(!Keyboard { depth: DEPTH as u8 + 1, ..zero }.is_sound());
        assert!(!Keyboard { saved: [64; DEPTH], depth: DEPTH as u8, ..zero }.is_sound());
        assert!(!Keyboard { saved: [1; DEPTH], ..zero }.is_sound(), "left behind by nothing");
    }
}
