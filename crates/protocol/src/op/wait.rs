//! `wait`: waits until a condition holds for a session.

use super::keyboard;
use super::{Activity, JsonSchema, Met, Wait};
use serde::{Deserialize, Serialize};

/// Which session, and what to wait for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The conditions.
    #[serde(flatten)]
    pub wait: Wait,
}

/// How the wait ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Which condition held.
    pub met: Met,
    /// How long the wait lasted.
    pub elapsed_ms: u64,
    /// What the session is doing.
    pub activity: Activity,
    /// Who has the keyboard, if a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// Whether the program has ended.
    pub exited: bool,
    /// The exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Bytes of output processed.
    pub seq: u64,
    /// The screen when the wait ended.
    pub screen: String,
    /// The line that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// If the wait timed out: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How the last command ended, if the wait was for the prompt and the shell reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<LastCommand>,
}

/// How a shell's last command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastCommand {
    /// Its exit code, if the shell reported it.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
}
