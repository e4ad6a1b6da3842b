//! `token_new`: makes a token for the HTTP listener.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// The token's name, and what it may do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// A name to revoke it by: letters, digits, `-` and `_`.
    pub name: String,
    /// What it may do; default: everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The same as the kind `read_only`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Everything, as a person or an agent.
    Full,
    /// What an agent may do. The token is the owner of the sessions it makes, and reaches no others.
    Agent,
    /// Only read.
    ReadOnly,
}

impl Kind {
    /// The kind as text, as on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Full => "full",
            Kind::Agent => "agent",
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
