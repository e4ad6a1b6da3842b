//! `answer`: a person has done what an agent asked, or will not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::HandoffRequest;

/// Which request, and the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Its id.
    pub request_id: String,
    /// It will not be done; otherwise it is.
    pub decline: bool,
    /// A word to the agent, in at most 2,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The request, which has ended.
pub type Reply = HandoffRequest;
