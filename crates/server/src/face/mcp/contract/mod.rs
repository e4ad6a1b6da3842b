//! What a tool is and promises: its schema, what is refused by it, and what every answer has.

pub(crate) mod progress;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod tool;
pub(crate) mod validate;
