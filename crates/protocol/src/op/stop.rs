//! `stop`: ends the daemon and all sessions.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// What is about to end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The keeper's process id. When this process has ended, everything has.
    pub keeper_pid: u32,
}
