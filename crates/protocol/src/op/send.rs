//! `send`: types into a session.

use super::JsonSchema;
use super::keyboard::Returned;
use super::mouse::Mouse;
use serde::{Deserialize, Serialize};

/// When typed text is put in paste brackets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Paste {
    /// If the program has bracketed paste on and the text has several lines.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A key event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyEvent {
    /// The key goes down.
    #[default]
    Press,
    /// The key is held.
    Repeat,
    /// The key goes up.
    Release,
}

/// A control function of the terminal's line discipline, whichever character the program has set for it.
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

/// What to type: text, one key, a mouse gesture, or raw bytes.
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
    /// The key event. Only programs that asked for it receive events other than `press`.
    pub event: KeyEvent,
    /// Whether `text` contains key names: `^C`, `^[`, `[UP]`, `[F5]`; write `\\^` and `\\[` for the characters.
    pub special: bool,
    /// A control function of the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// A mouse gesture; `ctrl`, `alt` and `shift` apply to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mouse: Option<Mouse>,
    /// Raw bytes, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Report the effect (`consumed`, `reacted`, `submitted`) to a person, too; an agent always gets it.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub observe: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// Bytes written to the terminal.
    pub bytes: u64,
    /// The seq before they were written: read or wait from here.
    pub seq: u64,
    /// If requested: whether the program read the bytes within 80 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<bool>,
    /// Whether the screen changed beyond the echo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reacted: Option<bool>,
    /// Whether the shell started a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<bool>,
    /// Whether the text was put in paste brackets, so that its line ends are not Enter keys.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub pasted: bool,
    /// For an interrupt: how many bytes of earlier input were dropped, because the program had not read them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// For an agent, if not yet reported: what happened while a person had the keyboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
