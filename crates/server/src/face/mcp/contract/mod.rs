//! The contract of a tool: its schema, the validation of arguments, and what every answer contains.

pub(crate) mod progress;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod tool;
pub(crate) mod validate;
