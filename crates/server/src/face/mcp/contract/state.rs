//! The state of a session, in the same form in every answer.

use cotty_protocol::error::Advice;
use cotty_protocol::op::{Activity, keyboard};
use cotty_session::is_nested;
use schemars::JsonSchema;
use serde::Serialize;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Doing {
    Prompt,
    Running,
    WaitingForInput,
    Pager,
    Editor,
    SecretInput,
    SecretSuspected,
    Exited,
}

impl Doing {
    /// Also returns the foreground program, if any.
    pub(crate) fn of(activity: Activity) -> (Doing, Option<String>) {
        match activity {
            Activity::Prompt => (Doing::Prompt, None),
            Activity::Running { program } => (Doing::Running, program),
            Activity::WaitingForInput { program } => (Doing::WaitingForInput, program),
            Activity::Pager { program } => (Doing::Pager, Some(program)),
            Activity::Editor { program } => (Doing::Editor, Some(program)),
            Activity::SecretInput => (Doing::SecretInput, None),
            Activity::SecretSuspected => (Doing::SecretSuspected, None),
            Activity::Exited => (Doing::Exited, None),
        }
    }
}

/// The state of a session, as part of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct State {
    pub(crate) state: Doing,
    /// The program in the foreground.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(flatten)]
    keyboard: Keyboard,
    /// The activity as the operation returned it.
    #[serde(skip)]
    activity: Activity,
}

/// The keyboard, if a person has or had it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Keyboard {
    /// The person who has the keyboard: your input is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    keyboard_held_by: Option<String>,
    /// What a person did with the keyboard since you last typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<keyboard::Returned>,
}

impl Keyboard {
    pub(crate) fn of(keyboard: Option<keyboard::Reply>) -> Keyboard {
        let Some(keyboard) = keyboard else { return Keyboard::default() };
        let held = keyboard.holder == keyboard::Holder::Person;
        let keyboard_held_by = held.then(|| keyboard.by.unwrap_or_else(|| "a person".to_owned()));
        Keyboard { keyboard_held_by, returned: keyboard.returned }
    }
}

impl State {
    pub(crate) fn new(activity: Activity, keyboard: Option<keyboard::Reply>) -> State {
        let (state, program) = Doing::of(activity.clone());
        State { state, program, keyboard: Keyboard::of(keyboard), activity }
    }

    /// Whether a program runs whose end or question can be noticed.
    pub(crate) fn is_at_work(&self) -> bool {
        self.state == Doing::Running && !self.is_nested()
    }

    /// Whether the end or a question of the running program cannot be noticed.
    pub(crate) fn is_nested(&self) -> bool {
        is_nested(&self.activity)
    }

    pub(crate) fn held_by(&self) -> Option<&str> {
        self.keyboard.keyboard_held_by.as_deref()
    }

    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// What to do next if there is no new output: reading again would not help.
    pub(crate) fn advice(&self) -> Advice {
        Advice::for_session(&self.activity, self.is_nested(), self.held_by())
    }
}
