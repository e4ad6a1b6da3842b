//! `search_recordings`: a pattern in what was recorded, also of sessions that are long gone.

use super::search::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to look for, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Params {
    /// Only in the recording of this session: id, number or name; of a session that is gone best its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What to look for.
    #[serde(flatten)]
    pub pattern: Pattern,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Newest first, recording by recording.
    pub matches: Vec<Match>,
    /// Whether there are more than were asked for.
    pub more: bool,
    /// Whether the time for a search was over before all was searched.
    pub gave_up: bool,
    /// Recordings that were searched.
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
