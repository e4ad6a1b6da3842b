//! `token_new`: makes a token for the HTTP listener.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// The token's name, and what it may do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// A name to revoke it by: letters, digits, `-` and `_`.
    pub name: String,
    /// The token may only read.
    pub read_only: bool,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Everything.
    Full,
    /// Only read.
    ReadOnly,
}

impl Kind {
    /// The kind as text, as on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Full => "full",
            Kind::ReadOnly => "read_only",
        }
    }
}

/// The new token. No other reply contains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub kind: Kind,
    /// The token itself, for the header `Authorization: Bearer`.
    pub token: String,
}
