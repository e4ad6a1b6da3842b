//! `keyboard`: a person takes it or gives it back; any caller may ask who has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do with the keyboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Only report who has it.
    #[default]
    Show,
    /// Take it. Only a person can.
    Take,
    /// Give it back. This completes an open hand-off request.
    Give,
    /// Release it. A hand-off request stays open.
    Leave,
}

/// Which session's keyboard, and what to do with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// What to do.
    pub action: Action,
    /// For `take`: the keyboard goes back this many milliseconds after the last key; default: 600,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
}

/// Who may type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// The agent.
    Agent,
    /// A person.
    Person,
    /// Only a person: the program asks for a secret.
    Nobody,
}

/// The state of a keyboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KeyboardReply")]
pub struct Reply {
    /// Who may type now.
    pub holder: Holder,
    /// The name of the person who has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Milliseconds until it goes back if that person types nothing more; absent: when the person gives it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns_in_ms: Option<u64>,
    /// What happened while a person had it. Reported until the agent types again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}

/// What happened while a person had the keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Returned {
    /// The person.
    pub by: String,
    /// For how long.
    pub held_ms: u64,
    /// How many bytes the person typed.
    pub bytes: u64,
    /// To read the output of that time: `read` with this as `since` …
    pub since: u64,
    /// … up to this seq.
    pub until: u64,
}
