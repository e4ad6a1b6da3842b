//! `panel_open`: opens a panel with the caller's shell.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its panel id; default: `terminal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel_id: Option<String>,
}

/// The panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its panel id.
    pub panel_id: String,
    /// Its session.
    pub session_id: String,
    /// Whether this call opened it; otherwise it was already open.
    pub opened: bool,
}
