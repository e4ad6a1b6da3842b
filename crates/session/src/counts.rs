//! What is counted of all sessions together, for whoever watches the daemon. One process is one daemon, so these are plain
//! statics; nothing in here decides anything.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that programs printed and that were read, by this daemon.
pub static BYTES_READ: AtomicU64 = AtomicU64::new(0);

/// Waits that nobody has been answered yet.
pub static WAITS: AtomicU64 = AtomicU64::new(0);

/// Counts something for as long as it lives.
#[derive(Debug)]
pub struct Counted(&'static AtomicU64);

impl Counted {
    /// One more of these.
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
