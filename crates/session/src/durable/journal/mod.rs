//! A session's journal: its output and input. The newest part is memory that outlives the daemon, the rest is in files.

mod ahead;
pub(crate) mod disk;
mod input;
mod live;
mod mapping;

pub(crate) use input::{InputQueue, Pushed};
pub(crate) use live::{
    HandoffChange, KeyboardChange, LiveJournal, MOST, READ, Record, RecordKind, Signalled, Source,
};
pub(crate) use mapping::memory;
