//! `info`: one session.

use super::{JsonSchema, SessionInfo};
use serde::{Deserialize, Serialize};

/// Which session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
}

/// All details of the session.
pub type Reply = SessionInfo;
