//! `send`: types into a session.

use super::JsonSchema;
use super::keyboard::Returned;
use super::mouse::Mouse;
use serde::{Deserialize, Serialize};

/// When typed text is put in paste brackets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Paste {
    /// When the program asked for it and the text has several lines.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What can happen to a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyEvent {
    /// It goes down.
    #[default]
    Press,
    /// It is held.
    Repeat,
    /// It goes up.
    Release,
}

/// What the line discipline does with a character, whichever the program set for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Interrupts the program.
    Interrupt,
    /// Ends its input.
    Eof,
    /// Suspends it.
    Suspend,
}

/// What to type: text, one key, the mouse, or bytes as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Text; each line end is the Enter key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A key: `up`, `enter`, `f5`, `c`, `ctrl+c`, `^C`, `<Esc>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// With Control.
    pub ctrl: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift.
    pub shift: bool,
    /// Paste brackets.
    pub paste: Paste,
    /// What happens to the key; only programs that asked for it hear of more than `press`.
    pub event: KeyEvent,
    /// Whether `text` has keys written into it: `^C`, `^[`, `[UP]`, `[F5]`; `\\^` and `\\[` are the characters.
    pub special: bool,
    /// What the terminal itself understands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// What the mouse does; `ctrl`, `alt` and `shift` go with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mouse: Option<Mouse>,
    /// Bytes as they are, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Also tell a person what became of it; an agent is always told.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub observe: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Bytes written for the program to read.
    pub bytes: u64,
    /// Output processed before they were written: read or wait from here.
    pub seq: u64,
    /// Where it was asked for: whether the program took the bytes, within a tenth of a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<bool>,
    /// Whether the screen changed beyond the echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reacted: Option<bool>,
    /// Whether the shell began a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<bool>,
    /// Whether the text went in paste brackets, so that its lines are text and no Enter keys.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub pasted: bool,
    /// What an agent had not been told yet: what a person did with the keyboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}
