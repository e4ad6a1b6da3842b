//! `recording`: a session's recorded output and input, also after the session was destroyed.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of the recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// An asciicast, version 3.
    #[default]
    Cast,
    /// The text that a person would have seen.
    Text,
    /// One line of JSON per event.
    Jsonl,
}

/// Which session, in which format, and which part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name; for a destroyed session, preferably its id.
    pub session: String,
    /// The format.
    pub format: Format,
    /// Where to continue: `next` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// About how many bytes to return; default: 262,144, at most 4,194,304.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of the recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The session's id.
    pub session_id: String,
    /// The text of the page.
    pub content: String,
    /// Where the next page begins.
    pub next: String,
    /// Whether this is the last page so far.
    pub end: bool,
}
