//! `create`: starts a program in a terminal of its own.

use super::{Activity, Dimensions, JsonSchema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to start, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The program; the caller's shell where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// A command line instead of both: plain words are run as they stand, anything more by `sh -c`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A name to find it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows; 24 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Columns; 80 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Variables on top of the caller's environment.
    pub env: BTreeMap<String, String>,
    /// Its directory; the caller's where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What a prompt looks like on the cursor's line: a regular expression. Where one is given it decides, also in a
    /// shell that marks its prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_pattern: Option<String>,
    /// What its output may do beyond showing things; nothing where nothing is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Allow>,
    /// Answer only when the shell waits for a command. Default: true for shells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ready: Option<bool>,
    /// But not later than this; 5,000 where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_timeout_ms: Option<u64>,
    /// Keep a recording of it. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<bool>,
}

/// What output can do to the one who shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Allow {
    /// Have the title sent back, as if it were typed.
    Title,
    /// Have what it put into the clipboard sent back.
    Clipboard,
    /// Have sums of what the screen shows sent back.
    Checksum,
    /// Change the terminal's size.
    Resize,
}

/// What was started.
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
