//! `search`: a pattern in all that a session holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which session, and what to look for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// What to look for.
    #[serde(flatten)]
    pub pattern: Pattern,
}

/// What to look for, and how much of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pattern {
    /// A regular expression; each line is searched as a whole, however it wrapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Instead of it: a text as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Most matches to answer with, newest first; 50 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Newest first.
    pub matches: Vec<Match>,
    /// Whether there are more than were asked for.
    pub more: bool,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
    /// The line's id; absent where a full-screen program showed it and it is gone from the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_id: Option<u64>,
    /// The column in the line where the match begins, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
}
