//! Text as it is read out of a terminal, and found in it.

pub(crate) mod excerpt;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod written;
