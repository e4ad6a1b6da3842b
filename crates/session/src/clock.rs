//! A clock for leases and hand-off requests, whose time passes while no daemon runs and while the computer sleeps, but does not
//! jump when somebody sets the wall clock.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// What to add to the time since boot. Journals store it, so that all daemons since boot count alike.
static OFFSET: OnceLock<u64> = OnceLock::new();

/// Milliseconds since the epoch, as if the wall clock had not been set since the first daemon started.
pub fn steady_ms() -> u64 {
    at(boot_ms(), offset())
}

/// The offset of this clock.
pub(crate) fn offset() -> u64 {
    *OFFSET.get_or_init(|| offset_for(wall_ms(), boot_ms()))
}

/// Continues the clock of an earlier daemon, unless this one already counts. 0 is no offset.
pub(crate) fn continue_from(offset: u64) {
    if offset != 0 {
        let _ = OFFSET.set(offset);
    }
}

fn offset_for(wall: u64, boot: u64) -> u64 {
    wall.saturating_sub(boot).max(1)
}

fn at(boot: u64, offset: u64) -> u64 {
    boot.saturating_add(offset)
}

fn boot_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    u64::try_from(time.tv_sec * 1000 + time.tv_nsec / 1_000_000).unwrap_or(0)
}

/// Milliseconds since the epoch by the wall clock.
pub(crate) fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_shows_the_wall_clock_as_it_was_first_and_does_not_jump() {
        let offset = offset_for(1_700_000_000_000, 5_000);
        assert_eq!(at(5_000, offset), 1_700_000_000_000);
        // Whatever the wall clock shows then.
        assert_eq!(at(6_000, offset), 1_700_000_001_000);
        assert_eq!(offset_for(3, 5), 1, "a clock before the epoch");
    }

    #[test]
    fn a_daemon_that_counts_does_not_change_its_clock() {
        let before = offset();
        continue_from(before + 3_600_000);
        assert_eq!(offset(), before);
        assert!(steady_ms().abs_diff(wall_ms()) < 60_000);
    }
}
