//! `destroy`: ends a session and everything it started.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which session, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Kill at once instead of asking the program to end.
    pub force: bool,
}

/// How the session ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Always true: a failure is an error.
    pub destroyed: bool,
    /// The program's exit code; null if a signal ended it.
    pub exit_code: Option<i32>,
    /// Processes of the session that could not be ended.
    pub left_running: Vec<String>,
}
