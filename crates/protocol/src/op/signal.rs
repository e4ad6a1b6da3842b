//! `signal`: sends a signal to the program in the foreground.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which session, and which signal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Its name: `INT`, `TERM`, `HUP`, `KILL`, `QUIT`, `STOP`, `TSTP`, `CONT`, `USR1`, `USR2`, with or without `SIG`.
    /// Default: `INT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Who received it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The process group that was signalled.
    pub group: u32,
    /// The program in that group that most likely reads the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}
