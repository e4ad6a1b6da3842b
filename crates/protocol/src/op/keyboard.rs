//! `keyboard`: a person takes it or gives it back; anybody may ask who has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Nothing: say who has it.
    #[default]
    Show,
    /// Take it. Only a person can.
    Take,
    /// Give it back. What an agent asked of people is done with that.
    Give,
    /// Let go of it, with what was asked still to be done.
    Leave,
}

/// Whose keyboard, and what to do with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// What to do.
    pub action: Action,
    /// For `take`: it goes back this long after the last key; 600,000 where none are given.
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
    /// Nobody but a person: a secret is asked for.
    Nobody,
}

/// What is known of a keyboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KeyboardReply")]
pub struct Reply {
    /// Who may type now.
    pub holder: Holder,
    /// The person who has it, as it introduced itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// In how many milliseconds it goes back if that person does nothing more; absent: when it is given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns_in_ms: Option<u64>,
    /// What happened while the agent did not have it, until it types again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}

/// What happened while the agent did not have the keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Returned {
    /// Who had it.
    pub by: String,
    /// For how long.
    pub held_ms: u64,
    /// How many bytes that person typed.
    pub bytes: u64,
    /// What came meanwhile: `read` with this as `since` …
    pub since: u64,
    /// … up to this much output.
    pub until: u64,
}
