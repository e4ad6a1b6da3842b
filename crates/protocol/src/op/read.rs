//! `read`: a session's screen or output.

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
    /// Output since this reader's last read, as a person would see it, without output that `run` returned to it.
    New,
    /// The rows of the screen that changed since this reader's last read.
    Changes,
    /// Lines that scrolled off the screen.
    Scrollback,
    /// Lines by number: 0 is the screen's top row, -1 the newest line that scrolled off.
    Lines,
    /// History and screen as one text, with wrapped lines joined.
    Whole,
}

/// The format of the text.
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
    /// The format.
    pub format: Format,
    /// For `new`: read from this seq instead of this reader's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// For `scrollback`: lines to skip, from the newest. For `new`: bytes to skip, to page through a long text.
    pub offset: usize,
    /// Most bytes of text. A longer text is cut to its head and tail, and the reply counts what was left out. Default,
    /// or 0: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// For `scrollback` and `whole`: return at most this many of the newest lines; default: 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// For `lines`: the first line; default: the screen's top row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<i64>,
    /// For `lines`: the last line, included; default: the screen's bottom row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<i64>,
    /// For `lines`: also return the text with colours.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub styled: bool,
    /// Wait for this before reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// The reader whose place `new` and `changes` use; default: the owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The text.
    pub content: String,
    /// For `lines`, if requested: the text with colours, as escape sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub styled: Option<String>,
    /// For `lines`: how many lines of history there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<usize>,
    /// Lines in it.
    pub lines: usize,
    /// For `changes`: the row of each line, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u16>,
    /// What was left out between the head and the tail of a long text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// For the screen: the cursor, 1-based.
    pub cursor: Option<Place>,
    /// The session's size.
    pub dimensions: Dimensions,
    /// Whether there is output since this reader's last read.
    pub has_new_content: bool,
    /// Images in that output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Images>,
    /// Whether the shell waits for a command.
    pub prompt_detected: bool,
    /// Whether there was no output for the `idle_ms` of the wait.
    pub idle: bool,
    /// Whether the program has ended.
    pub exited: bool,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// What it is doing.
    pub activity: Activity,
    /// Who has the keyboard, if a person has it or just had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<keyboard::Reply>,
    /// Lines that were dropped because of the limits before they were read.
    pub dropped_lines: u64,
    /// History that was lost when the daemon was replaced. Reported to each reader once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Give this as `since` to continue.
    pub seq: u64,
    /// How the wait ended, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<Met>,
    /// If the wait timed out: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
