//! What the mouse does, as `send` takes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gesture, at a place or on a text that the screen shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mouse {
    /// What it does.
    pub action: Action,
    /// With which button.
    pub button: Button,
    /// Row, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u16>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub col: Option<u16>,
    /// Instead of row and column: a text on the screen, whose middle is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Which of several such texts, from 1 at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<usize>,
    /// For `scroll`: steps down, or up where negative; 3 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down: Option<i16>,
    /// For `scroll`: steps to the right, or left where negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<i16>,
}

/// The gestures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MouseAction")]
pub enum Action {
    /// Down and up.
    #[default]
    Click,
    /// Twice.
    DoubleClick,
    /// Down.
    Press,
    /// Up.
    Release,
    /// To another cell.
    Move,
    /// The wheel.
    Scroll,
}

/// The buttons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The left one.
    #[default]
    Left,
    /// The middle one.
    Middle,
    /// The right one.
    Right,
    /// None, for a move.
    None,
}
