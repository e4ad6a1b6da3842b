//! How much of recordings is kept, and for how long. The decision is a pure function of the recordings and the time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::folder::{Folder, recordings};
use crate::hub::meta::now_ms;

/// How much of recordings is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingLimits {
    /// The size at which a segment ends and the next one begins.
    pub segment_bytes: u64,
    /// The most bytes of one session; its oldest segments are deleted.
    pub session_bytes: u64,
    /// The most bytes of all recordings; the oldest are deleted first, those of live sessions last.
    pub total_bytes: u64,
    /// How long a recording is kept after its last byte, in milliseconds.
    pub age_ms: u64,
}

impl Default for RecordingLimits {
    fn default() -> Self {
        RecordingLimits {
            segment_bytes: 4 << 20,
            session_bytes: 64 << 20,
            total_bytes: 2 << 30,
            age_ms: 14 * 24 * 60 * 60 * 1000,
        }
    }
}

/// `wait_for_quiet` takes more than `FLOOD` bytes written within `LOOK` for a flood, and checks at most `LONGEST_FLOOD` times.
const FLOOD: u64 = 1 << 20;
const LOOK: Duration = Duration::from_millis(250);
const LONGEST_FLOOD: usize = 240;
/// The limits are applied again after each `total_bytes / PART` bytes of growth.
const PART: u64 = 32;

/// The directory of recordings, their limits, and which sessions are live.
#[derive(Debug)]
pub(crate) struct Keeping {
    pub(crate) dir: PathBuf,
    pub(crate) limits: RecordingLimits,
    live: Mutex<BTreeSet<String>>,
    grown: AtomicU64,
    /// Bytes written since the start, to detect a flood.
    written: AtomicU64,
}

impl Keeping {
    pub(crate) fn new(dir: PathBuf, limits: RecordingLimits) -> Keeping {
        Keeping { dir, limits, live: Mutex::default(), grown: AtomicU64::new(0), written: AtomicU64::new(0) }
    }

    pub(crate) fn is_live(&self, id: &str) -> bool {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    pub(crate) fn set_live(&self, id: &str, live: bool) {
        let mut ids = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        match live {
            true => ids.insert(id.to_owned()),
            false => ids.remove(id),
        };
    }

    /// Counts written bytes, and applies the limits from time to time.
    pub(super) fn grew(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
        if self.grown.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limits.total_bytes / PART {
            self.tidy();
        }
    }

    /// Waits until no session writes much, but not for ever: work that is not urgent must not slow down a flood.
    pub(super) fn wait_for_quiet(&self) {
        for _ in 0..LONGEST_FLOOD {
            let before = self.written.load(Ordering::Relaxed);
            std::thread::sleep(LOOK);
            if self.written.load(Ordering::Relaxed) - before < FLOOD {
                break;
            }
        }
    }

    /// Deletes what is over the limits.
    pub(crate) fn tidy(&self) {
        self.grown.store(0, Ordering::Relaxed);
        self.sweep(&Choice::Limits(self.limits), false);
    }

    /// Deletes what was chosen.
    pub(crate) fn sweep(&self, choice: &Choice, include_live: bool) -> Purged {
        sweep(&self.dir, choice, include_live, |id| self.is_live(id), now_ms())
    }
}

/// A recording as `decide` sees it: its segments, oldest first, with their numbers, sizes and last changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) id: String,
    pub(crate) live: bool,
    pub(crate) segments: Vec<(u32, u64, u64)>,
}

impl Kept {
    fn bytes(&self) -> u64 {
        self.segments.iter().map(|&(_, bytes, _)| bytes).sum()
    }

    fn changed_ms(&self) -> u64 {
        self.segments.iter().map(|&(_, _, changed)| changed).max().unwrap_or(0)
    }
}

/// Which recordings to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Those over the limits.
    Limits(RecordingLimits),
    /// Those that have not changed since this time, in milliseconds since the epoch.
    Before(u64),
    /// The one with this id.
    One(String),
    /// All recordings.
    All,
}

impl Choice {
    /// Whether a caller's choice includes this recording.
    fn names(&self, recording: &Kept) -> bool {
        match self {
            Choice::Limits(_) => false,
            Choice::Before(ms) => recording.changed_ms() < *ms,
            Choice::One(id) => recording.id == *id,
            Choice::All => true,
        }
    }
}

/// What to delete: a whole recording, or one of its segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Going {
    Recording(String),
    Segment(String, u32),
}

/// Decides what to delete. The last segment of a live session always stays; its others are deleted only if they are over the
/// limits or if `include_live` is set.
pub(crate) fn decide(choice: &Choice, include_live: bool, mut kept: Vec<Kept>, now_ms: u64) -> Vec<Going> {
    let limits = match choice {
        Choice::Limits(limits) => limits,
        _ => {
            let wanted = kept.iter().filter(|recording| choice.names(recording));
            return wanted.filter(|r| include_live || !r.live).flat_map(whole).collect();
        }
    };
    let mut going = Vec::new();
    kept.sort_by_key(|recording| (recording.live, recording.changed_ms()));
    let mut total: u64 = kept.iter().map(Kept::bytes).sum();
    for recording in &kept {
        let old = now_ms.saturating_sub(recording.changed_ms()) > limits.age_ms;
        let over = total > limits.total_bytes;
        if !recording.live && (old || over) {
            total -= recording.bytes();
            going.extend(whole(recording));
        } else if recording.live {
            let before_last = recording.segments.len().saturating_sub(1);
            for &(number, bytes, changed) in &recording.segments[..before_last] {
                if total > limits.total_bytes || now_ms.saturating_sub(changed) > limits.age_ms {
                    total -= bytes;
                    going.push(Going::Segment(recording.id.clone(), number));
                }
            }
        }
    }
    going
}

/// All of a recording that may be deleted.
fn whole(recording: &Kept) -> Vec<Going> {
    if !recording.live {
        return vec![Going::Recording(recording.id.clone())];
    }
    let before_last = recording.segments.len().saturating_sub(1);
    let numbers = recording.segments[..before_last].iter().map(|&(number, ..)| number);
    numbers.map(|number| Going::Segment(recording.id.clone(), number)).collect()
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    /// How many whole recordings.
    pub recordings: u64,
    /// How many segments of recordings of live sessions.
    pub segments: u64,
    /// The bytes of both.
    pub bytes: u64,
    /// How many chosen recordings were kept because their sessions are live.
    pub kept_live: u64,
}

/// Lists the recordings of a directory, decides, and deletes.
fn sweep(
    dir: &Path,
    choice: &Choice,
    include_live: bool,
    is_live: impl Fn(&str) -> bool,
    now_ms: u64,
) -> Purged {
    let describe = |(id, folder): &(String, Folder)| Kept {
        live: is_live(id),
        segments: folder.segments().iter().map(|s| (s.number, s.bytes, s.changed_ms)).collect(),
        id: id.clone(),
    };
    let kept: Vec<Kept> = recordings(dir).iter().map(describe).collect();
    let mut purged = Purged::default();
    if !include_live {
        purged.kept_live = kept.iter().filter(|k| k.live && choice.names(k)).count() as u64;
    }
    let size_of = |id: &str| kept.iter().find(|k| k.id == id);
    for going in decide(choice, include_live, kept.clone(), now_ms) {
        match going {
            Going::Recording(id) => {
                let bytes = size_of(&id).map_or(0, Kept::bytes);
                if Folder::new(dir.join(&id)).remove_all().is_ok() {
                    purged.recordings += 1;
                    purged.bytes += bytes;
                }
            }
            Going::Segment(id, number) => {
                let segments = size_of(&id).map(|kept| kept.segments.as_slice()).unwrap_or_default();
                let bytes = segments.iter().find(|(n, ..)| *n == number).map_or(0, |&(_, bytes, _)| bytes);
                Folder::new(dir.join(&id)).remove(number);
                purged.segments += 1;
                purged.bytes += bytes;
            }
        }
    }
    purged
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn limits() -> RecordingLimits {
        RecordingLimits { total_bytes: 100, ..RecordingLimits::default() }
    }

    fn kept(id: &str, live: bool, segments: &[(u64, u64)]) -> Kept {
        let numbered = segments.iter().zip(0..).map(|(&(bytes, changed), number)| (number, bytes, changed));
        Kept { id: id.into(), live, segments: numbered.collect() }
    }

    fn recording(id: &str) -> Going {
        Going::Recording(id.into())
    }

    #[test]
    fn the_oldest_recording_is_deleted_when_the_total_is_over_the_limit() {
        let there =
            vec![kept("b", false, &[(50, 2)]), kept("c", false, &[(40, 3)]), kept("a", false, &[(30, 1)])];
        assert_eq!(decide(&Choice::Limits(limits()), false, there, 10), [recording("a")]);
    }

    #[test]
    fn live_sessions_lose_segments_last_and_never_their_last_segment() {
        let there = vec![kept("live", true, &[(90, 1), (90, 2), (90, 3)]), kept("ended", false, &[(10, 9)])];
        assert_eq!(
            decide(&Choice::Limits(limits()), false, there, 10),
            [recording("ended"), Going::Segment("live".into(), 0), Going::Segment("live".into(), 1)]
        );
    }

    #[test]
    fn recordings_older_than_two_weeks_are_deleted() {
        let there =
            vec![kept("old", false, &[(1, 0), (1, DAY)]), kept("new", false, &[(1, 0), (1, 2 * DAY)])];
        assert_eq!(decide(&Choice::Limits(limits()), false, there.clone(), 14 * DAY), []);
        assert_eq!(decide(&Choice::Limits(limits()), false, there, 15 * DAY + 1), [recording("old")]);
    }

    #[test]
    fn a_purge_deletes_chosen_recordings_and_live_ones_only_with_live() {
        let there = vec![
            kept("live", true, &[(1, 1), (1, 8)]),
            kept("a", false, &[(1, 3)]),
            kept("b", false, &[(1, 5)]),
        ];
        let purge = |choice, live| decide(&choice, live, there.clone(), 10);
        assert_eq!(purge(Choice::Before(5), false), [recording("a")]);
        assert_eq!(purge(Choice::All, false), [recording("a"), recording("b")]);
        assert_eq!(purge(Choice::One("live".into()), false), []);
        assert_eq!(purge(Choice::One("live".into()), true), [Going::Segment("live".into(), 0)]);
    }
}
