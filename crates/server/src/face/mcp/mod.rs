//! MCP: the tools that agents see, over the operations.
//!
//! `cotty mcp` is a pipe: it connects to `/v1/mcp` on the Unix socket, introduces itself in one line (`McpHello`), and
//! then passes MCP's lines both ways. The server runs in the daemon, so a pipe that lives for days always gets the
//! newest tools. HTTP clients use `/mcp` ([`http`]). One handler serves both, in both eras of the protocol
//! ([`server`]).

mod advice;
mod contract;
#[cfg_attr(
    not(debug_assertions),
    expect(dead_code, reason = "only the conformance suite's tools ask so far")
)]
mod elicitation;
#[cfg(debug_assertions)]
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

/// What answers a client. Debug builds add what the conformance suite asks for.
#[cfg(debug_assertions)]
fn handler(server: server::Server) -> fixtures::WithFixtures {
    fixtures::WithFixtures(server)
}

#[cfg(not(debug_assertions))]
fn handler(server: server::Server) -> server::Server {
    server
}

/// The protocol that a pipe upgrades to.
pub(crate) const PROTOCOL: &str = "cotty-mcp";
