//! `create`: starts a program in a new session.

use super::{Activity, Dimensions, JsonSchema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to start, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The program; default: the caller's shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// A command line instead of both. Plain words are run directly, anything else with `sh -c`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The session's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows; default: 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Columns; default: 80.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Variables to add to the caller's environment.
    pub env: BTreeMap<String, String>,
    /// Working directory; default: the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// A regular expression that matches a prompt on the cursor's line. It overrides the marks of a shell that has
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_pattern: Option<String>,
    /// What its output may do besides being shown; default: nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Allow>,
    /// Return only when the shell waits for a command. Default: true for shells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ready: Option<bool>,
    /// How long to wait for that, in milliseconds; default: 5,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_timeout_ms: Option<u64>,
    /// Record the session. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<bool>,
}

/// What a program's output can be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Allow {
    /// Read the title back; it arrives as typed input.
    Title,
    /// Read back what it put into the clipboard.
    Clipboard,
    /// Read checksums of the screen.
    Checksum,
    /// Change the terminal's size.
    Resize,
}

/// The new session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its id.
    pub session_id: String,
    /// Its number.
    pub number: u32,
    /// Its process id.
    pub pid: u32,
    /// The program's path.
    pub program: String,
    /// Its size.
    pub dimensions: Dimensions,
    /// Whether the shell waits for a command.
    pub ready: bool,
    /// What it is doing.
    pub activity: Activity,
    /// Bytes of output processed.
    pub seq: u64,
}
