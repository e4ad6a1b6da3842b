//! `purge`: takes recordings away.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which: exactly one of `session`, `older_than_seconds` and `all`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// That of this session, by id, number or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Those that did not change for so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_than_seconds: Option<u64>,
    /// All.
    pub all: bool,
    /// Also of live sessions, all but their newest part.
    pub live: bool,
}

/// What was taken away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Whole recordings.
    pub recordings: u64,
    /// Parts of recordings that go on.
    pub segments: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Recordings of live sessions that were meant too, and stay.
    pub kept_live: u64,
}
