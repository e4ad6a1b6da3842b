//! `requests`: lists the open hand-off requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// The open requests, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The requests; for an agent, only those of its own sessions.
    pub requests: Vec<HandoffRequest>,
    /// How many.
    pub count: usize,
}

/// A hand-off request: an agent asks a person to take over its session for a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffRequest {
    /// Its id, `req_` and eight characters.
    pub request_id: String,
    /// The session.
    pub session_id: String,
    /// Its number.
    pub number: u32,
    /// The agent's name.
    pub from: String,
    /// What the person should do: data, not markup.
    pub message: String,
    /// Its state.
    pub state: State,
    /// The person who took it or ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// That person's note to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When it was created, ISO 8601.
    pub made_at: String,
    /// How long it has been open, or was open.
    pub open_ms: u64,
    /// If it is open: in how many milliseconds it times out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_in_ms: Option<u64>,
    /// How many bytes people have typed since it was created.
    pub typed_bytes: u64,
    /// To read the output since it was created: `read` with this as `since`.
    pub since: u64,
}

/// The state of a hand-off request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RequestState")]
pub enum State {
    /// It waits for a person.
    Waiting,
    /// A person has the keyboard.
    Taken,
    /// A person completed it.
    Completed,
    /// A person declined it.
    Declined,
    /// No person completed it in time.
    Timeout,
    /// The agent withdrew it, or the program ended before a person took it.
    Cancelled,
}
