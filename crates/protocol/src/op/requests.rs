//! `requests`: what agents ask of people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Nothing to say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// Those that are open, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Each of them; for an agent, those of its own sessions.
    pub requests: Vec<HandoffRequest>,
    /// How many.
    pub count: usize,
}

/// What an agent asks of people: to take over its session for a moment.
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
    /// What a person is to do: data, not markup.
    pub message: String,
    /// How far it came.
    pub state: State,
    /// The person who has the keyboard meanwhile, or who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What that person tells the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// ISO 8601.
    pub made_at: String,
    /// How long it has been open, or was.
    pub open_ms: u64,
    /// In how many milliseconds it is given up, while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_in_ms: Option<u64>,
    /// How many bytes people typed meanwhile.
    pub typed_bytes: u64,
    /// What came since it was made: `read` with this as `since`.
    pub since: u64,
}

/// How far a hand-off request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RequestState")]
pub enum State {
    /// For a person.
    Waiting,
    /// A person has the keyboard.
    Taken,
    /// A person did it.
    Completed,
    /// A person will not.
    Declined,
    /// Nobody did in time.
    Timeout,
    /// The agent withdrew it, or the program ended with nobody there.
    Cancelled,
}
