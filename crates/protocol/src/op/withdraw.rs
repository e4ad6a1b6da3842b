//! `withdraw`: an agent withdraws its hand-off request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::HandoffRequest;

/// Which request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The hand-off request's id, or the id of the call that created it.
    pub request_id: String,
}

/// The ended request.
pub type Reply = HandoffRequest;
