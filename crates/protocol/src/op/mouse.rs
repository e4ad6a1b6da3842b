//! Mouse gestures, a parameter of `send`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gesture at a cell or on a text of the screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mouse {
    /// The gesture.
    pub action: Action,
    /// The button.
    pub button: Button,
    /// Row, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u16>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub col: Option<u16>,
    /// Instead of row and column: a text on the screen; the gesture goes to its middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Which of several such texts, from 1 at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<usize>,
    /// For `scroll`: steps down, or up if negative; default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down: Option<i16>,
    /// For `scroll`: steps to the right, or left if negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<i16>,
}

/// The gestures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MouseAction")]
pub enum Action {
    /// Press and release.
    #[default]
    Click,
    /// Click twice.
    DoubleClick,
    /// Press the button.
    Press,
    /// Release the button.
    Release,
    /// Move to another cell.
    Move,
    /// Turn the wheel.
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
