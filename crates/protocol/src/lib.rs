//! What travels between cotty's parts: operations as values, their errors, and what viewers and front ends are sent.
//!
//! Everything here can be put on a wire ([`serde`]) and described to a stranger ([`schemars`]). Nothing here acts.

mod call;
pub mod error;
pub mod op;
pub mod text;
pub mod update;
pub mod view;

pub use call::{ActorKind, Answer, Call, Caller, McpHello, McpOpen, Origin};
pub use error::{ApiError, Code, ErrorBody};
