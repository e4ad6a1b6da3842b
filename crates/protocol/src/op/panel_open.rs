//! `panel_open`: a panel with the caller's shell.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its name; `terminal` where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel_id: Option<String>,
}

/// The panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its name.
    pub panel_id: String,
    /// Its session.
    pub session_id: String,
    /// Whether it was opened just now; otherwise it was there.
    pub opened: bool,
}
