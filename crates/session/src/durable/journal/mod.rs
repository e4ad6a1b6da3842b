//! What a session's terminal said and was told: its hot end is memory that outlives the daemon, behind it stand files.

mod ahead;
pub(crate) mod disk;
mod input;
mod live;
mod mapping;

pub(crate) use input::{InputQueue, Pushed};
pub(crate) use live::{
    HandoffChange, KeyboardChange, LiveJournal, MOST, Record, RecordKind, Signalled, Source,
};
pub(crate) use mapping::memory;
