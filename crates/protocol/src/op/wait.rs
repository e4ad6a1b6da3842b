//! `wait`: until something is true of a session.

use super::keyboard;
use super::{Activity, JsonSchema, Met, Wait};
use serde::{Deserialize, Serialize};

/// Which session, and for what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The conditions.
    #[serde(flatten)]
    pub wait: Wait,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Which condition held.
    pub met: Met,
    /// After how long.
    pub elapsed_ms: u64,
    /// What the session is doing.
    pub activity: Activity,
    /// Who has the keyboard, where a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// Whether the program has ended.
    pub exited: bool,
    /// With what, where it ended by itself.
    pub exit_code: Option<i32>,
    /// By which signal, where one ended it.
    pub signal: Option<i32>,
    /// Bytes of output processed.
    pub seq: u64,
    /// The screen at that moment.
    pub screen: String,
    /// The line that was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// Why nothing held, where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How the last command ended, where the prompt was waited for and the shell tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<LastCommand>,
}

/// How a shell's last command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastCommand {
    /// Its exit code, where the shell told it.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
}
