//! `configure`: changes settings of a running session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which session, and what to change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Lines of history to keep from now on, up to 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_lines: Option<usize>,
}

/// The session's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// How many lines of history it keeps.
    pub history_lines: usize,
}
