//! `panels`: lists the caller's panels.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// The panels, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The panels.
    pub panels: Vec<Panel>,
}

/// A panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Panel {
    /// Its panel id.
    pub panel_id: String,
    /// Its session.
    pub session_id: String,
    /// Whether its program has ended.
    pub exited: bool,
}
