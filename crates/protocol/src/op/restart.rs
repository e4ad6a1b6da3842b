//! `restart`: replaces the daemon; every session goes on.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which daemon to replace, and by which program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The process id of the daemon to replace. If another daemon runs, nothing happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The absolute path of the program to start as the next daemon; default: the program of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// What is about to happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The process id of this daemon.
    pub pid: u32,
    /// Whether the keeper starts the given program. A keeper of an earlier version always starts what is at its own path.
    pub uses_program: bool,
}
