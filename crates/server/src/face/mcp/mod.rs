//! MCP: the tools that agents see, over the operations.
//!
//! `cotty mcp` is a pipe: it connects to `/v1/mcp` on the Unix socket, says in one line who and where it is
//! ([`Hello`]), and from then on passes MCP's own lines both ways. The server is here, in the daemon, so a pipe that
//! lives for days always speaks to the newest tools. Clients that speak HTTP come to `/mcp` ([`http`]). Either way one
//! handler answers, to both eras of the protocol ([`server`]).

mod advice;
mod contract;
mod elicitation;
mod fixtures;
mod handoff;
#[cfg(test)]
mod reference;
mod resources;
mod server;
mod sets;
mod subscriptions;
mod transport;

pub use self::sets::check;
pub(crate) use self::transport::http::routes;
pub(crate) use self::transport::pipe::upgrade;

/// What a pipe asks to become.
pub(crate) const PROTOCOL: &str = "cotty-mcp";
