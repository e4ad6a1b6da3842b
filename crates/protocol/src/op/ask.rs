//! `ask`: an agent asks people to take over a session for a moment, and learns how that ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Activity;
use super::keyboard;
use super::requests::HandoffRequest;

/// What is asked, or which hand-off request it goes on with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// What a person is to do, in at most 2,000 characters; for a new request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For a new hand-off request: it is given up after this many milliseconds; 300,000 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Instead of a new hand-off request: the id of one, to go on waiting for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Answer after this many milliseconds, though the hand-off request is still open; where none are given, when it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// What became of it so far.
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
