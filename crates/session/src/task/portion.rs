//! How much output the engine gets at a time. A few bytes can cost it milliseconds (a repeated character on a large screen),
//! and other sessions need the thread meanwhile.

use std::time::Duration;

use crate::durable::journal::READ;

/// After this long the thread is given to others.
const LONG: Duration = Duration::from_millis(2);
const SMALLEST: usize = 512;

/// The size of the next portion of output.
#[derive(Debug)]
pub(super) struct Portion(usize);

impl Default for Portion {
    fn default() -> Portion {
        Portion(READ)
    }
}

impl Portion {
    /// The size in bytes.
    pub(super) fn size(&self) -> usize {
        self.0
    }

    /// Notes how long the engine took for the last portion, and adapts the next. Returns whether others should have the thread.
    pub(super) fn took(&mut self, time: Duration) -> bool {
        let slow = time >= LONG;
        self.0 = if slow { self.0 / 4 } else { self.0 * 2 }.clamp(SMALLEST, READ);
        slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_costs_much_is_taken_in_small_portions() {
        let mut portion = Portion::default();
        let (slow, fast) = (Duration::from_millis(9), Duration::from_micros(30));
        for (time, yields, size) in [
            (fast, false, READ),
            (slow, true, READ / 4),
            (slow, true, READ / 16),
            (slow, true, SMALLEST),
            (slow, true, SMALLEST),
            (fast, false, 2 * SMALLEST),
        ] {
            assert_eq!((portion.took(time), portion.size()), (yields, size));
        }
    }
}
