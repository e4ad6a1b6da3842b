//! `search_recordings`: searches recordings, also those of destroyed sessions.

use super::search::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to look for, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Params {
    /// Search only this session's recording: id, number or name; for a destroyed session, preferably its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What to look for.
    #[serde(flatten)]
    pub pattern: Pattern,
}

/// The matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Newest first, recording by recording.
    pub matches: Vec<Match>,
    /// Whether there are more matches than `limit`.
    pub more: bool,
    /// Whether the search ran out of time before it was complete.
    pub gave_up: bool,
    /// How many recordings were searched.
    pub recordings: usize,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// The session's id.
    pub session_id: String,
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
}
