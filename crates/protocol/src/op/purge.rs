//! `purge`: deletes recordings.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which recordings: exactly one of `session`, `older_than_seconds` and `all`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The recording of this session, by id, number or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Recordings that have not changed for this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_than_seconds: Option<u64>,
    /// All recordings.
    pub all: bool,
    /// Also recordings of live sessions, except their newest part.
    pub live: bool,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Whole recordings.
    pub recordings: u64,
    /// Segments of recordings that otherwise remain.
    pub segments: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Recordings that were not deleted because their sessions are live.
    pub kept_live: u64,
}
