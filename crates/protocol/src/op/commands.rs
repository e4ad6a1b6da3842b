//! `commands`: the commands that a session's shell ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which commands, or the output of which one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// List only the newest N commands; default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only the command with this number, with its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// How many lines from the start of the output; default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// How many lines from the end of the output; default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<usize>,
}

/// The state of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CommandState")]
pub enum State {
    /// It ended.
    Done,
    /// It is running.
    Running,
    /// The policy denied it.
    Denied,
    /// The shell itself ended.
    Exited,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Its number in this session; never used again.
    pub number: u64,
    /// Its text, if the shell reported it.
    pub text: Option<String>,
    /// Its state.
    pub state: State,
    /// Why the policy denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// When it started, ISO 8601.
    pub started: String,
    /// How long it took, or has been running.
    pub duration_ms: u64,
    /// The shell's directory when it started.
    pub directory: Option<String>,
    /// Lines of output that can still be read.
    pub lines: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Lines of output that were dropped because of the limits.
    pub dropped_lines: u64,
    /// Its output, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

/// A command's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Its first lines; all lines if nothing is left out.
    pub head: String,
    /// How many lines are left out between head and tail.
    pub left_out: usize,
    /// Its last lines.
    pub tail: String,
}

/// The commands, newest last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The commands.
    pub commands: Vec<Command>,
    /// How many commands the session has run, listed or not.
    pub total: u64,
}
