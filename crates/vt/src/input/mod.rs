//! The bytes that a terminal sends for keys, pastes and the mouse, in the encodings that the program selected.

pub(crate) mod key;
pub(crate) mod kitty;
pub(crate) mod legacy;
pub(crate) mod mouse;
pub(crate) mod parse;
pub(crate) mod paste;
pub(crate) mod protocol;
