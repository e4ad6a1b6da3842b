//! `search`: searches a session's screen and history.

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

/// What to look for, and how many matches to return.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pattern {
    /// A regular expression; a wrapped line is searched as one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Instead of `regex`: plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Return at most this many matches, newest first; default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Newest first.
    pub matches: Vec<Match>,
    /// Whether there are more matches than `limit`.
    pub more: bool,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
    /// The line's id; absent for a line of the alternate-screen history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_id: Option<u64>,
    /// The column in the line where the match begins, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
}
