//! What an agent must know of a session, beside what it asked for.

use cotty_protocol::op::{Activity, keyboard};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The state of a session, as part of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct State {
    /// What it is doing: "prompt" (the shell waits for a command), "running", "secret_input" …, "exited".
    state: String,
    /// What runs: the program that may read the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// The person who has the keyboard: what you type is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    keyboard_held_by: Option<String>,
}

impl State {
    pub(super) fn new(activity: &Activity, keyboard: &keyboard::Reply) -> State {
        // By its form on the wire, so that whatever else a session can be doing is told as well.
        let activity = serde_json::to_value(activity).unwrap_or_default();
        let text = |name: &str| activity.get(name).and_then(Value::as_str).map(str::to_owned);
        let held = keyboard.holder == keyboard::Holder::Person;
        State {
            state: text("kind").unwrap_or_default(),
            program: text("program"),
            keyboard_held_by: held.then(|| keyboard.by.clone().unwrap_or_else(|| "a person".to_owned())),
        }
    }
}
