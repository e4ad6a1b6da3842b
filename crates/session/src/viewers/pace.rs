//! What is made once and sent to many, and how often.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How far anybody may be behind before the newest whole screen is sent instead of what was missed. Small: this is all
/// the memory that those who do not read can hold, however many there are.
pub(crate) const BEHIND: usize = 16;
/// Nobody is sent anything more often than this, however fast the output.
const INTERVAL: Duration = Duration::from_millis(16);
/// More seldom for a crowd, so much for each of it: what it takes to send to one is a small part of this, so that most of the
/// time is left to the session.
const EACH: Duration = Duration::from_micros(250);

/// A value that is put into its form on the wire once, by the first who needs it, for all who are sent it.
#[derive(Debug)]
pub struct Shared<T> {
    value: T,
    wire: OnceLock<Arc<[u8]>>,
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared { value, wire: OnceLock::new() }
    }

    /// Its form on the wire. There is one: who asks later gets what the first one made.
    pub fn wire(&self, encode: impl FnOnce(&T) -> Vec<u8>) -> Arc<[u8]> {
        Arc::clone(self.wire.get_or_init(|| encode(&self.value).into()))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// When to draw next: soon after something changed or somebody came, and not again before an interval has passed. So
/// what drawing costs a session depends neither on how much it prints nor on how many watch.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    not_before: Option<Instant>,
    wanted: Option<Instant>,
}

impl Pace {
    /// There is something to draw.
    pub(crate) fn want(&mut self, now: Instant) {
        self.wanted.get_or_insert(now);
    }

    /// When it is to be drawn.
    pub(crate) fn due(&self) -> Option<Instant> {
        let wanted = self.wanted?;
        Some(self.not_before.map_or(wanted, |at| wanted.max(at)))
    }

    /// It is drawn now, for so many. Whether there was anything to draw.
    pub(crate) fn draw(&mut self, now: Instant, watching: usize) -> bool {
        let wanted = self.wanted.take().is_some();
        if wanted {
            let watching = u32::try_from(watching).unwrap_or(u32::MAX);
            self.not_before = Some(now + INTERVAL.max(EACH.saturating_mul(watching)));
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_drawn_at_once_and_the_next_ones_less_often_for_many_viewers() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = Pace::default();
        assert!(pace.due().is_none() && !pace.draw(at(0), 1));
        pace.want(at(0));
        assert_eq!(pace.due(), Some(at(0)));
        assert!(pace.draw(at(0), 64) && pace.due().is_none());
        pace.want(at(1));
        assert_eq!(pace.due(), Some(at(16)));
        assert!(pace.draw(at(16), 200));
        pace.want(at(17));
        assert_eq!(pace.due(), Some(at(16 + 50)));
        // After a pause there is nothing to wait for.
        assert!(pace.draw(at(66), 200));
        pace.want(at(500));
        assert_eq!(pace.due(), Some(at(500)));
    }
}
