//! The messages between cotty's parts: operations as values, their errors, and the messages to viewers and front ends.
//!
//! Every type can be serialized ([`serde`]) and has a JSON schema ([`schemars`]). Nothing here acts.

mod call;
pub mod error;
pub mod op;
pub mod text;
pub mod update;
pub mod view;

pub use call::{ActorKind, Answer, Call, Caller, McpHello, McpOpen, Origin};
pub use error::{ApiError, Code, ErrorBody};
