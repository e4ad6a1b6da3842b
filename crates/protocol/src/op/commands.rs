//! `commands`: what a session's shell ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which commands, or the output of which one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The newest so many; 20 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only the command of this number, with its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Of the output, the first so many lines; 100 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// And the last so many; 100 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<usize>,
}

/// How far a command came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CommandState")]
pub enum State {
    /// It ended.
    Done,
    /// It runs.
    Running,
    /// The policy did not let it run.
    Denied,
    /// The shell itself ended.
    Exited,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Its number in this session; no other will have it.
    pub number: u64,
    /// Its text, where the shell could tell it.
    pub text: Option<String>,
    /// How far it came.
    pub state: State,
    /// Why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// When it began; ISO 8601.
    pub started: String,
    /// How long it took, or has taken so far.
    pub duration_ms: u64,
    /// The shell's directory when it began.
    pub directory: Option<String>,
    /// Lines of output that can still be read.
    pub lines: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Lines of output that the limits had dropped.
    pub dropped_lines: u64,
    /// What it said, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

/// What a command said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Its first lines; all of them where nothing is left out.
    pub head: String,
    /// Lines between the two that are left out.
    pub left_out: usize,
    /// Its last lines.
    pub tail: String,
}

/// The commands, newest last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Each of them.
    pub commands: Vec<Command>,
    /// How many there were in all, with those that are not listed.
    pub total: u64,
}
