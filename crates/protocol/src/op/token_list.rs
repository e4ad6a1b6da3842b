//! `token_list`: lists the valid tokens.

use super::JsonSchema;
use super::token_new::Kind;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// The tokens, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
}

/// The details of a token, without the token itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenInfo {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub kind: Kind,
    /// When it was made, ISO 8601.
    pub made: String,
    /// When it was last used, to the minute; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<String>,
}
