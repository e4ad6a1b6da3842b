//! `withdraw`: an agent no longer asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::HandoffRequest;

/// Which request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The hand-off request's id, or that of the request that made it.
    pub request_id: String,
}

/// The request, which has ended.
pub type Reply = HandoffRequest;
