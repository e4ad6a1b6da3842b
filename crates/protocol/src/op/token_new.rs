//! `token_new`: makes a token for the HTTP listener.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// What it is called, and what it may do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// A name to revoke it by: letters, digits, `-` and `_`.
    pub name: String,
    /// Whoever has it may look, and nothing else.
    pub read_only: bool,
}

/// What whoever has a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Everything.
    Full,
    /// Look.
    ReadOnly,
}

impl Kind {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Full => "full",
            Kind::ReadOnly => "read_only",
        }
    }
}

/// The token. It is told this once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub kind: Kind,
    /// What goes behind `Authorization: Bearer`.
    pub token: String,
}
