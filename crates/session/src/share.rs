//! What is made once and sent to many, and how often.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How far anybody may be behind before the newest whole screen is sent instead of what was missed. Small: this is all
/// the memory that those who do not read can hold, however many there are.
pub(crate) const BEHIND: usize = 16;
/// Nobody is sent anything more often than this, however fast the output.
const INTERVAL: Duration = Duration::from_millis(16);

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
    drawn: Option<Instant>,
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
        Some(self.drawn.map_or(wanted, |drawn| wanted.max(drawn + INTERVAL)))
    }

    /// It is drawn now. Whether there was anything to draw.
    pub(crate) fn draw(&mut self, now: Instant) -> bool {
        let wanted = self.wanted.take().is_some();
        if wanted {
            self.drawn = Some(now);
        }
        wanted
    }
}
