//! `run`: one command in a shell, with its own output and exit code.

use super::{Activity, JsonSchema};
use serde::{Deserialize, Serialize};

/// What to run, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name of a session whose shell waits for a command.
    pub session: String,
    /// The command, one line or several.
    pub command: String,
    /// Answer `running` after this many milliseconds; 30,000 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ended.
    Done,
    /// It runs on; the output is what it said so far.
    Running,
    /// The shell itself ended.
    Exited,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// How far it came.
    pub outcome: Outcome,
    /// Its own output, without prompt and echo.
    pub output: String,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// How long it took, or has taken so far.
    pub duration_ms: u64,
    /// The shell's directory afterwards.
    pub cwd: Option<String>,
    /// What the session is doing.
    pub activity: Activity,
    /// Lines of output that the limits had dropped.
    pub dropped_lines: u64,
    /// Go on from here.
    pub seq: u64,
}
