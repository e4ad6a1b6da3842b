//! `token_revoke`: revokes a token.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which token.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its name.
    pub name: String,
}

/// The token is revoked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Always true: an unknown token is an error.
    pub revoked: bool,
}
