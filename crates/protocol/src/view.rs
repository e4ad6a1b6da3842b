//! Messages between a viewer and the daemon over a WebSocket: paints one way, keys the other.

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

/// A message to the viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToViewer {
    /// The screen or a change of it, as positions, styles, text and erases only.
    Paint(Paint),
    /// The program ended; the last screen stays.
    Exited {
        /// The exit code, if it ended by itself.
        exit_code: Option<i32>,
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// The session was destroyed.
    Gone,
    /// The input was refused.
    Refused(ErrorBody),
    /// Who is there: at the beginning, and whenever that changes.
    Presence(Presence),
    /// The first message to the page: it proves that the daemon sends it.
    Proof {
        /// The proof for the page's nonce.
        proof: String,
    },
}

/// Who is there, and what a viewer's keys and mouse would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Presence {
    /// Who has the keyboard.
    pub holder: Option<Holder>,
    /// The name of the person who has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether this viewer has it.
    pub yours: bool,
    /// The agent that owns the session, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Other viewers, in the order they connected; only the first if there are many.
    pub others: Vec<Watcher>,
    /// How many others there are.
    pub count: usize,
    /// Whether the program has mouse reporting on.
    pub mouse: bool,
    /// Whether the alternate screen is shown, that of full-screen programs.
    pub alternate: bool,
    /// Whether the session's size follows the holder's window.
    pub fitted: bool,
    /// The last agent whose input was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned_away: Option<TurnedAway>,
    /// The newest hand-off request, open or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Box<HandoffNotice>>,
}

/// A hand-off request, as viewers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffNotice {
    /// The hand-off request's id.
    pub request_id: String,
    /// The agent's name.
    pub from: String,
    /// What the person should do: data, not markup.
    pub message: String,
    /// Its state.
    pub state: State,
    /// The person who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl HandoffNotice {
    /// Whether it has not ended.
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

/// An agent whose input was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnedAway {
    /// How many refusals there were: each new one increases the count.
    pub count: u64,
    /// The agent's name.
    pub name: String,
    /// Whether the reason was a prompt for a secret; otherwise a person had the keyboard.
    pub secret: bool,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paint {
    /// The seq that this frame shows.
    pub seq: u64,
    /// Whether it replaces the whole screen.
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

/// A message from the viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromViewer {
    /// One key, by name. The daemon encodes it for the modes that the program has set.
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
    /// A mouse gesture.
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
    /// Takes the keyboard until the viewer gives it back or disconnects.
    Take,
    /// Gives the keyboard back. This completes an open hand-off request.
    Give,
    /// Disconnects, and releases the keyboard. A hand-off request stays open.
    Leave,
    /// Answers a hand-off request, and gives the keyboard back.
    Answer {
        /// The hand-off request's id.
        request_id: String,
        /// Decline the request instead of completing it.
        #[serde(default)]
        decline: bool,
        /// A note to the agent.
        #[serde(default)]
        note: Option<String>,
    },
    /// Fits the session to this viewer's window while the viewer has the keyboard; without a size, stops that.
    Fit {
        /// The window's size.
        #[serde(default)]
        size: Option<Dimensions>,
    },
}
