//! How much is kept, and for how long. The decision is pure: told what there is and the time.

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
    /// A segment's size; the next begins behind it.
    pub segment_bytes: u64,
    /// What one session may keep; its oldest segments go.
    pub session_bytes: u64,
    /// What all may keep together; the oldest recordings go first, those of live sessions last.
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

/// More than this written while one looks is a flood; and how often one looks at it, at most.
const FLOOD: u64 = 1 << 20;
const LOOK: Duration = Duration::from_millis(250);
const LONGEST_FLOOD: usize = 240;
/// After how much more, as a part of what all may keep, the total is looked at again.
const PART: u64 = 32;

/// Where recordings lie, how much of them may, and which are being made.
#[derive(Debug)]
pub(crate) struct Keeping {
    pub(crate) dir: PathBuf,
    pub(crate) limits: RecordingLimits,
    live: Mutex<BTreeSet<String>>,
    grown: AtomicU64,
    /// Everything written so far, to see whether something is being written.
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

    /// So much was written. Now and then that is too much.
    pub(super) fn grew(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
        if self.grown.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limits.total_bytes / PART {
            self.tidy();
        }
    }

    /// Waits until no session writes much, but not for ever: what is not urgent is not to cost a flood its speed.
    pub(super) fn wait_for_quiet(&self) {
        for _ in 0..LONGEST_FLOOD {
            let before = self.written.load(Ordering::Relaxed);
            std::thread::sleep(LOOK);
            if self.written.load(Ordering::Relaxed) - before < FLOOD {
                break;
            }
        }
    }

    /// Takes away what is over the limits.
    pub(crate) fn tidy(&self) {
        self.grown.store(0, Ordering::Relaxed);
        self.sweep(&Choice::Limits(self.limits), false);
    }

    /// Takes away what was chosen.
    pub(crate) fn sweep(&self, choice: &Choice, include_live: bool) -> Purged {
        sweep(&self.dir, choice, include_live, |id| self.is_live(id), now_ms())
    }
}

/// A recording as the decision sees it: its segments, oldest first, with their sizes and last changes.
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

/// Which recordings to take away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// What is over the limits.
    Limits(RecordingLimits),
    /// What did not change since this time, in milliseconds since the epoch.
    Before(u64),
    /// This one.
    One(String),
    /// All.
    All,
}

impl Choice {
    /// Whether somebody who chose so means this recording.
    fn names(&self, recording: &Kept) -> bool {
        match self {
            Choice::Limits(_) => false,
            Choice::Before(ms) => recording.changed_ms() < *ms,
            Choice::One(id) => recording.id == *id,
            Choice::All => true,
        }
    }
}

/// What is to go: a whole recording, or one of its segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Going {
    Recording(String),
    Segment(String, u32),
}

/// Decides. Of a live session the last segment always stays; the others go only for the total, or where asked.
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

/// All of a recording that may go.
fn whole(recording: &Kept) -> Vec<Going> {
    if !recording.live {
        return vec![Going::Recording(recording.id.clone())];
    }
    let before_last = recording.segments.len().saturating_sub(1);
    let numbers = recording.segments[..before_last].iter().map(|&(number, ..)| number);
    numbers.map(|number| Going::Segment(recording.id.clone(), number)).collect()
}

/// What was taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    /// Whole recordings.
    pub recordings: u64,
    /// Segments of recordings that go on.
    pub segments: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Recordings of live sessions that were asked for and stay.
    pub kept_live: u64,
}

/// Looks at what lies in a directory, decides, and takes it away.
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
    fn the_oldest_go_when_all_are_too_much() {
        let there =
            vec![kept("b", false, &[(50, 2)]), kept("c", false, &[(40, 3)]), kept("a", false, &[(30, 1)])];
        assert_eq!(decide(&Choice::Limits(limits()), false, there, 10), [recording("a")]);
    }

    #[test]
    fn live_sessions_give_last_and_never_their_last_segment() {
        let there = vec![kept("live", true, &[(90, 1), (90, 2), (90, 3)]), kept("ended", false, &[(10, 9)])];
        assert_eq!(
            decide(&Choice::Limits(limits()), false, there, 10),
            [recording("ended"), Going::Segment("live".into(), 0), Going::Segment("live".into(), 1)]
        );
    }

    #[test]
    fn what_is_two_weeks_old_goes() {
        let there =
            vec![kept("old", false, &[(1, 0), (1, DAY)]), kept("new", false, &[(1, 0), (1, 2 * DAY)])];
        assert_eq!(decide(&Choice::Limits(limits()), false, there.clone(), 14 * DAY), []);
        assert_eq!(decide(&Choice::Limits(limits()), false, there, 15 * DAY + 1), [recording("old")]);
    }

    #[test]
    fn a_purge_takes_what_is_named_and_live_ones_only_where_asked() {
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
