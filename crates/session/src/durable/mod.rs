//! How a session outlives its daemon, and what is written to disk.

pub(crate) mod checkpoint;
pub(crate) mod journal;
pub(crate) mod recording;
