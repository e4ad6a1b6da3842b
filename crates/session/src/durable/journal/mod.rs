//! What a session's terminal said and was told: its hot end is memory that outlives the daemon, behind it stand files.

mod ahead;
pub(crate) mod disk;
mod hot;
mod input;
mod mapping;

pub(crate) use hot::{Hot, KeyboardChange, MOST, PleaChange, Record, Signalled, Source, What};
pub(crate) use input::{InputQueue, Pushed};
pub(crate) use mapping::memory;
