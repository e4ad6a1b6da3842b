//! `token_list`: the tokens that were made and not revoked.

use super::JsonSchema;
use super::token_new::Kind;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// By name. The page's own token is not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Each of them.
    pub tokens: Vec<TokenInfo>,
}

/// What is known of a token; not the token itself.
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
