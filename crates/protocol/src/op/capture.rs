//! `capture`: writes a session's output to a file.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Write all output from now on.
    #[default]
    Start,
    /// Stop writing.
    Stop,
}

/// Which session, and what to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Start or stop.
    pub action: Action,
    /// For `start`: the file's directory; default: a directory in cotty's home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
}

/// The capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its file: one line of JSON per chunk of output, with `timestamp` and `data`.
    pub capture_file: String,
    /// Bytes of output in it.
    pub bytes_captured: u64,
    /// Bytes of output that could not be written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes_lost: u64,
    /// How long it has been running.
    pub duration_seconds: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}
