//! `ask`: an agent asks a person to take over a session for a moment, and waits for the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Activity;
use super::keyboard;
use super::requests::HandoffRequest;

/// A new hand-off request, or the id of an open one to wait for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// For a new request: what the person should do, at most 2,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For a new hand-off request: it times out after this many milliseconds; default: 300,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Instead of a new hand-off request: the id of an open one, to wait for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Return after this many milliseconds even if the hand-off request is still open; default: when it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// The request's current state, and the session's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The request.
    #[serde(flatten)]
    pub request: HandoffRequest,
    /// What the session shows.
    pub screen: String,
    /// What it is doing.
    pub activity: Activity,
    /// Who may type.
    pub keyboard: keyboard::Reply,
    /// Bytes of output processed.
    pub seq: u64,
}
