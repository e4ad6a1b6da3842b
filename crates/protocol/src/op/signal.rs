//! `signal`: to the program in the foreground.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which session, and which signal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Its name: `INT`, `TERM`, `HUP`, `KILL`, `QUIT`, `STOP`, `TSTP`, `CONT`, `USR1`, `USR2`; `SIG` before it does no harm.
    /// `INT` where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Who got it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The process group that was signalled.
    pub group: u32,
    /// The program in it that most likely reads the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}
