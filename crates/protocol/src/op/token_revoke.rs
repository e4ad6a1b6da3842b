//! `token_revoke`: a token opens nothing any more.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its name.
    pub name: String,
}

/// It is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Always true: what is not there is an error.
    pub revoked: bool,
}
