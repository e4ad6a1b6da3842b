//! What an agent must know of a session, in every answer and always in the same form.

use cotty_protocol::op::{Activity, keyboard};
use cotty_session::has_a_terminal_inside;
use schemars::JsonSchema;
use serde::Serialize;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Doing {
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
    /// With the program that may read the terminal, where one does.
    pub(super) fn of(activity: Activity) -> (Doing, Option<String>) {
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
pub(super) struct State {
    pub(super) state: Doing,
    /// What runs: the program that may read the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(flatten)]
    keyboard: Keyboard,
}

/// Of the keyboard only what is not as always.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Keyboard {
    /// The person who has the keyboard: what you type is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    keyboard_held_by: Option<String>,
    /// What a person did with the keyboard since you typed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<keyboard::Returned>,
}

impl Keyboard {
    pub(super) fn of(keyboard: Option<keyboard::Reply>) -> Keyboard {
        let Some(keyboard) = keyboard else { return Keyboard::default() };
        let held = keyboard.holder == keyboard::Holder::Person;
        let keyboard_held_by = held.then(|| keyboard.by.unwrap_or_else(|| "a person".to_owned()));
        Keyboard { keyboard_held_by, returned: keyboard.returned }
    }
}

impl State {
    pub(super) fn new(activity: Activity, keyboard: Option<keyboard::Reply>) -> State {
        let (state, program) = Doing::of(activity);
        State { state, program, keyboard: Keyboard::of(keyboard) }
    }

    /// Whether something runs that will be seen to end or to ask. What runs inside another terminal is out of sight.
    pub(super) fn is_at_work(&self) -> bool {
        self.state == Doing::Running && !self.program.as_deref().is_some_and(has_a_terminal_inside)
    }

    /// What to do next where nothing new has come: asking again would not help.
    pub(super) fn next_step(&self) -> String {
        let program = self.program.as_deref().unwrap_or("the program");
        if let Some(person) = &self.keyboard.keyboard_held_by {
            return format!("{person} has the keyboard: wait for it (terminal__wait with keyboard true)");
        }
        match self.state {
            Doing::Running if !self.is_at_work() => format!(
                "what runs inside {program} cannot be seen: look at the screen (terminal__read), type (terminal__send), or wait for text (terminal__wait)"
            ),
            Doing::Prompt => "the shell waits for a command (terminal__run)".to_owned(),
            Doing::Running => format!(
                "{program} is at work: wait for it (terminal__wait with prompt, exit or text), or interrupt it (terminal__send key \"ctrl+c\")"
            ),
            Doing::WaitingForInput => format!("{program} waits for input: look (terminal__read), and type (terminal__send)"),
            Doing::Pager => format!(
                "{program} shows a page: look at it (terminal__read); space goes on, q leaves it (terminal__send key \"space\" or \"q\")"
            ),
            Doing::Editor => format!("{program} is an editor: look at it (terminal__read), and send keys (terminal__send)"),
            Doing::SecretInput | Doing::SecretSuspected => {
                "a secret is asked for, which only a person may type: ask one (terminal__request_user_input), or leave the question (terminal__send key \"ctrl+c\")".to_owned()
            }
            Doing::Exited => "the program has ended and says no more (terminal__destroy_session)".to_owned(),
        }
    }
}
