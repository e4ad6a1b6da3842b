//! How often viewers are sent something, and messages that are encoded once for all of them.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How many messages a receiver may lag behind. After that it gets the newest whole screen instead of what it missed.
/// Small: receivers that do not read hold this many messages in memory, however many receivers there are.
pub(crate) const BEHIND: usize = 16;
/// The shortest time between two messages, however fast the output.
const INTERVAL: Duration = Duration::from_millis(16);
/// With many receivers the interval is longer: this much for each. Sending to one takes a small part of it, so most of
/// the time is left to the session.
const EACH: Duration = Duration::from_micros(250);

/// A value that is sent to many and encoded once, by the first sender that needs it.
#[derive(Debug)]
pub struct Shared<T> {
    value: T,
    wire: OnceLock<Arc<[u8]>>,
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared { value, wire: OnceLock::new() }
    }

    /// The encoded value. Only the first call encodes; later calls get the same bytes.
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

/// When to draw next: at once after a change or a new viewer, but not before the interval since the last drawing has
/// passed. So the cost of drawing depends neither on the amount of output nor on the number of viewers.
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

    /// When to draw.
    pub(crate) fn due(&self) -> Option<Instant> {
        let wanted = self.wanted?;
        Some(self.not_before.map_or(wanted, |at| wanted.max(at)))
    }

    /// Notes a drawing now, for `watching` viewers. Returns whether there was anything to draw.
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
