//! What a viewer and the daemon tell each other over a WebSocket: paints one way, keys the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::op::keyboard::Holder;
use crate::op::mouse::Mouse;
use crate::op::requests::State;
use crate::op::send::Paste;
use crate::{
    ErrorBody,
    op::{Activity, Dimensions},
};

/// To the viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToViewer {
    /// The screen, or what changed of it, in nothing but positions, styles, text and erases.
    Paint(Paint),
    /// The program ended; the last screen stays.
    Exited {
        /// With what, where it ended by itself.
        exit_code: Option<i32>,
        /// By which signal, where one ended it.
        signal: Option<i32>,
    },
    /// The session is gone.
    Gone,
    /// What was typed was refused.
    Refused(ErrorBody),
    /// Who is there, at the beginning and whenever that changes.
    Presence(Presence),
}

/// Who is there, and what a viewer's keys and mouse would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Presence {
    /// Who has the keyboard.
    pub holder: Option<Holder>,
    /// The person who has it, as it introduced itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether that is this viewer.
    pub yours: bool,
    /// The agent whose session it is, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Other viewers, in the order they came; the first of them where there are many.
    pub others: Vec<Watcher>,
    /// How many others there are.
    pub count: usize,
    /// Whether the program asked for the mouse.
    pub mouse: bool,
    /// Whether it is the alternate screen, that of full-screen programs.
    pub alternate: bool,
    /// Whether the session follows the holder's window.
    pub fitted: bool,
    /// The last agent that was not let type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned_away: Option<TurnedAway>,
    /// What an agent asked of people last, open or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Box<HandoffNotice>>,
}

/// What an agent asks of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffNotice {
    /// The hand-off request's id.
    pub request_id: String,
    /// The agent's name.
    pub from: String,
    /// What a person is to do: data, not markup.
    pub message: String,
    /// How far it came.
    pub state: State,
    /// The person who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl HandoffNotice {
    /// Whether it waits for a person still, or for one to finish.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting | State::Taken)
    }
}

/// Another viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Watcher {
    /// The person's name.
    pub name: String,
    /// What the person watches through: `attach`, `page`.
    pub kind: String,
}

/// An agent that was not let type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnedAway {
    /// How often that has happened: a new one is a new number.
    pub count: u64,
    /// The agent's name.
    pub name: String,
    /// Whether because of a secret; otherwise a person had the keyboard.
    pub secret: bool,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paint {
    /// Output that this frame shows, in bytes.
    pub seq: u64,
    /// Whether it replaces the screen instead of changing it.
    pub full: bool,
    /// Columns of the session.
    pub cols: u16,
    /// Rows of the session.
    pub rows: u16,
    /// What to write to the terminal.
    pub data: String,
    /// The session's id.
    pub session_id: String,
    /// The title that the program set: data, not markup.
    pub title: String,
    /// What the session is doing.
    pub activity: Activity,
}

/// From the viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromViewer {
    /// One key, by name; it is encoded for the modes that the program has set.
    Key {
        /// Its name, or one character.
        key: String,
        /// With Control.
        #[serde(default)]
        ctrl: bool,
        /// With Alt.
        #[serde(default)]
        alt: bool,
        /// With Shift.
        #[serde(default)]
        shift: bool,
    },
    /// Text that was typed or pasted.
    Text {
        /// The text.
        text: String,
        /// Paste brackets.
        #[serde(default)]
        paste: Paste,
    },
    /// What the mouse does.
    Mouse {
        /// The gesture.
        mouse: Mouse,
        /// With Control.
        #[serde(default)]
        ctrl: bool,
        /// With Alt.
        #[serde(default)]
        alt: bool,
        /// With Shift.
        #[serde(default)]
        shift: bool,
    },
    /// Takes the keyboard, until it is given back or the viewer goes away.
    Take,
    /// Gives it back. What an agent asked of people is done with that.
    Give,
    /// Goes away, and lets go of the keyboard if it has it. What an agent asked of people is still open.
    Leave,
    /// Answers what an agent asks, and gives the keyboard back.
    Answer {
        /// The hand-off request's id.
        request_id: String,
        /// It will not be done; otherwise it is.
        #[serde(default)]
        decline: bool,
        /// A word to the agent.
        #[serde(default)]
        note: Option<String>,
    },
    /// Has the session follow this viewer's window for as long as it has the keyboard; without a size no longer.
    Fit {
        /// The window.
        #[serde(default)]
        size: Option<Dimensions>,
    },
}
