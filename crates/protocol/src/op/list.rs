//! `list`: all sessions.

use super::{JsonSchema, SessionInfo};
use serde::{Deserialize, Serialize};

/// Whose sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// For an agent: also name the sessions of other owners.
    pub all: bool,
}

/// The sessions, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The sessions; for an agent, only its owner's.
    pub sessions: Vec<SessionInfo>,
    /// How many.
    pub count: usize,
    /// The sessions of other owners, if requested.
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
    /// Its owner.
    pub owner: String,
}
