//! `list`: all sessions.

use super::{JsonSchema, SessionInfo};
use serde::{Deserialize, Serialize};

/// Whose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// For an agent: name the sessions of other owners, too.
    pub all: bool,
}

/// The sessions, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Each of them; for an agent, each of its owner's.
    pub sessions: Vec<SessionInfo>,
    /// How many.
    pub count: usize,
    /// What other owners have, where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
}

/// A session of another owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Other {
    /// Its id.
    pub session_id: String,
    /// Its number.
    pub number: u32,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose it is.
    pub owner: String,
}
