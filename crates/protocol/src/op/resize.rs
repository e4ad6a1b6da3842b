//! `resize`: another size, or following the window of whoever has the keyboard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Dimensions;

/// Which session, and how large.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Columns; as they are where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Rows; as they are where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Only for as long as the caller, a person, has the keyboard; then the session gets its own size back.
    pub fit: bool,
}

/// How large it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its size.
    pub dimensions: Dimensions,
}
