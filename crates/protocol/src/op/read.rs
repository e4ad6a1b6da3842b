//! `read`: what a session shows.

use super::keyboard;
use super::{Activity, Dimensions, HistoryLost, Images, JsonSchema, LeftOut, Met, Place, Wait};
use serde::{Deserialize, Serialize};

/// Which part to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// What a person would see.
    #[default]
    Screen,
    /// What came since this reader's last read, as a person would have seen it; without what `run` has answered to it.
    New,
    /// The rows of the screen that changed since this reader's last read.
    Changes,
    /// What left the screen.
    Scrollback,
    /// Lines by their numbers: 0 is the screen's top row, -1 the newest line that left the screen.
    Lines,
    /// What left the screen and what is on it, as one text: each line in one piece, however it wraps.
    Whole,
}

/// How to write it down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Text alone.
    #[default]
    Plain,
    /// With colours, as escape sequences.
    Raw,
}

/// What to read, and what to wait for first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// Which part.
    pub view: View,
    /// How.
    pub format: Format,
    /// For `new`: from this many bytes of output on, instead of this reader's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// For `scrollback`: lines to skip, from the newest. For `new`: bytes to skip, to page through a long text.
    pub offset: usize,
    /// Most bytes of text: of a longer one its head and its tail, with what was left out counted. All where none are
    /// given, or 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// For `scrollback` and `whole`: most lines to answer with, the newest; 1,000 where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// For `lines`: the first of them; the screen's top row where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<i64>,
    /// For `lines`: the last of them, included; the screen's bottom row where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<i64>,
    /// For `lines`: the same with colours, too.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub styled: bool,
    /// Wait for this first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Whose place `new` and `changes` read from; the owner's where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The text.
    pub content: String,
    /// For `lines`, where it was asked for: the same text with colours, as escape sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub styled: Option<String>,
    /// For `lines`: how many left the screen and can still be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<usize>,
    /// Lines in it.
    pub lines: usize,
    /// For `changes`: the row of each line, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u16>,
    /// What stands between the head and the tail of a long text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The cursor, 1-based, for the screen.
    pub cursor: Option<Place>,
    /// The session's size.
    pub dimensions: Dimensions,
    /// Whether anything came since this reader's last read.
    pub has_new_content: bool,
    /// Images that came since then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Images>,
    /// Whether the shell waits for a command.
    pub prompt_detected: bool,
    /// Whether nothing came for the time waited for.
    pub idle: bool,
    /// Whether the program has ended.
    pub exited: bool,
    /// With what.
    pub exit_code: Option<i32>,
    /// What it is doing.
    pub activity: Activity,
    /// Who has the keyboard, where a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// Lines that the limits had dropped before they were read.
    pub dropped_lines: u64,
    /// What a daemon could not take over from the one before it, if this reader was not told yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Go on from here.
    pub seq: u64,
    /// How the wait ended, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<Met>,
    /// Why it came to nothing, where the time ran out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
