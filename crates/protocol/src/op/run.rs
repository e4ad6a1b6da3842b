//! `run`: one command in a shell, with its own output and exit code.

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
    /// Answer `running` after this many milliseconds, 30,000 where none are given, or once the command waits for input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Most bytes of output: of a longer one its head and its tail, with what was left out counted. All where none are
    /// given, or 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
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

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// "done", "running" (it goes on; the output is what it said so far) or "exited" (the shell itself ended).
    pub outcome: Outcome,
    /// The command's own output, without prompt and echo.
    pub output: String,
    /// What stands between the head and the tail of a long output, missing behind its first `after_lines` lines: read view
    /// "new" with its `since` and `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// The signal that ended the shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How long it took, or has taken so far.
    pub duration_ms: u64,
    /// The shell's directory afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Images in the output, of which there is no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Images>,
    /// Lines of output that were too many to keep, before those in `output`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_lines: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What became of it, and of the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// What became of it.
    #[serde(flatten)]
    pub ran: Ran,
    /// The command is not complete: the shell waits for the rest of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// What the session is doing.
    pub activity: Activity,
    /// Who has the keyboard, where a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// The session's recording has the lines that were dropped, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped_recorded: bool,
    /// What a daemon could not take over from the one before it, if this reader was not told yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Go on from here.
    pub seq: u64,
}
