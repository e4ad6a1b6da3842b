//! What a session's terminal said and was told. So far its hot end only: memory that outlives the daemon.

mod ahead;
mod hot;
mod input;
mod mapping;

pub(crate) use hot::{Hot, KeyboardChange, Record, What};
pub(crate) use input::{InputQueue, Pushed};
pub(crate) use mapping::memory;
