//! `resize`: changes a session's size, or fits it to the window of the keyboard's holder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Dimensions;

/// Which session, and how large.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Columns; default: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Rows; default: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Only while the caller, a person, has the keyboard; afterwards the session returns to its own size.
    pub fit: bool,
}

/// The session's new size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its size.
    pub dimensions: Dimensions,
}
