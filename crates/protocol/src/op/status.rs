//! `status`: the daemon itself.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// What runs, and where it listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The daemon's process id.
    pub pid: u32,
    /// The keeper's process id.
    pub keeper_pid: u32,
    /// Its version.
    pub version: String,
    /// Where the page is: `http://127.0.0.1:7420`.
    pub http: String,
    /// The page, for a person with its token.
    pub link: String,
    /// The Unix socket.
    pub socket: String,
    /// Sessions whose program runs.
    pub live: usize,
    /// Sessions whose program has ended and that can still be read.
    pub exited: usize,
}
