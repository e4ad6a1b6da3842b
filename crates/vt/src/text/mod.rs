//! Reading and searching a terminal's text.

pub(crate) mod excerpt;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod written;
