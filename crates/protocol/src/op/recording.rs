//! `recording`: what a session's terminal said and was told, also of one that is long gone.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// How to write it down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// An asciicast, version 3.
    #[default]
    Cast,
    /// The text that a person would have seen.
    Text,
    /// A line of JSON for each thing that happened.
    Jsonl,
}

/// Which session, how, and which part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name; of a session that is gone best its id.
    pub session: String,
    /// How.
    pub format: Format,
    /// Go on from here: what the page before answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// About how many bytes to answer with; 262,144 where none are given, at most 4,194,304.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The session's id.
    pub session_id: String,
    /// What stands there.
    pub content: String,
    /// Go on from here.
    pub next: String,
    /// Whether this is all there is so far.
    pub end: bool,
}
