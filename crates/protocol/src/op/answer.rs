//! `answer`: a person completes or declines a hand-off request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::HandoffRequest;

/// Which request, and the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its id.
    pub request_id: String,
    /// Decline the request instead of completing it.
    pub decline: bool,
    /// A note to the agent, at most 2,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The ended request.
pub type Reply = HandoffRequest;
