//! `run`: runs one command in a shell and returns its output and exit code.

use super::keyboard;
use super::{Activity, HistoryLost, Images, JsonSchema, LeftOut};
use serde::{Deserialize, Serialize};

/// What to run, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name of a session whose shell waits for a command.
    pub session: String,
    /// The command, one line or several.
    pub command: String,
    /// Return `running` after this many milliseconds (default: 30,000), or when the command waits for input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Most bytes of output. A longer output is cut to its head and tail, and the reply counts what was left out.
    /// Default, or 0: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
}

/// How far the command got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ended.
    Done,
    /// It is still running; `output` is what it has written so far.
    Running,
    /// The shell itself ended.
    Exited,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// "done", "running" (it continues; `output` is its output so far) or "exited" (the shell itself ended).
    pub outcome: Outcome,
    /// The command's own output, without prompt and echo.
    pub output: String,
    /// What was left out of a long output, after its first `after_lines` lines. To get it: read view "new" with its `since`
    /// and `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// The signal that ended the shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How long it took, or has been running.
    pub duration_ms: u64,
    /// The shell's directory afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Images in the output; they have no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Images>,
    /// Lines dropped because of the limits, before those in `output`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_lines: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The command's result, and the session's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The command's result.
    #[serde(flatten)]
    pub ran: Ran,
    /// The command is not complete: the shell waits for the rest of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// What the session is doing.
    pub activity: Activity,
    /// Who has the keyboard, if a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// Whether the session's recording has the dropped lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped_recorded: bool,
    /// History that was lost when the daemon was replaced. Reported to each reader once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Give this as `since` to continue.
    pub seq: u64,
}
