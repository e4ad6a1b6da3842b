//! Counters over all sessions, for monitoring the daemon. One process is one daemon, so they are plain statics. No decision
//! depends on them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of output that this daemon has read from programs.
pub static BYTES_READ: AtomicU64 = AtomicU64::new(0);

/// Waits that have not ended yet.
pub static WAITS: AtomicU64 = AtomicU64::new(0);

/// Adds one to a counter until it is dropped.
#[derive(Debug)]
pub struct Counted(&'static AtomicU64);

impl Counted {
    /// Adds one to `counter`.
    pub fn new(counter: &'static AtomicU64) -> Counted {
        counter.fetch_add(1, Ordering::Relaxed);
        Counted(counter)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
