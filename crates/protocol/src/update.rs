//! Messages to a front end over a WebSocket: a snapshot first, then changes.
//!
//! Columns and rows count from 0. `x2` and `y2` are the first that are *not* in a region or a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message to the front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Update {
    /// The bell rang, once or more.
    Bell,
    /// The cursor moved or changed its shape.
    Cursor(Cursor),
    /// A part of the screen changed.
    Diff(Diff),
    /// The whole screen: at the start, after a resize, after a gap, and at most every 200 ms while the screen changes.
    Snapshot(Snapshot),
    /// The program ended. Nothing follows.
    Exited {
        /// The exit code, if it ended by itself.
        exit_code: Option<i32>,
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// The session was destroyed. Nothing follows.
    Gone,
}

/// The screen at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The session's id.
    pub session_id: String,
    /// The seq that it shows.
    pub seq: u64,
    /// Rows of the session.
    pub rows: u16,
    /// Columns of the session.
    pub cols: u16,
    /// The text of each row from the top, right-trimmed.
    pub lines: Vec<String>,
    /// The styled runs of each line; left out if all lines are plain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<Vec<Run>>,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// The title that the program set: data, not markup.
    pub title: String,
    /// Whether the alternate screen is shown, that of full-screen programs.
    pub alternate: bool,
}

/// New lines for a part of the screen: always whole rows (`x` is 0, `x2` the number of columns), so that a client can
/// replace them without knowing how wide a character is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// Which part.
    pub region: Region,
    /// The text of each of its rows from the top, right-trimmed.
    pub lines: Vec<String>,
    /// The styled runs of each line; left out if all lines are plain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<Vec<Run>>,
    /// Why it changed.
    pub reason: Reason,
}

/// Part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    /// The first column.
    pub x: u16,
    /// The first row.
    pub y: u16,
    /// The column after the last.
    pub x2: u16,
    /// The row after the last.
    pub y2: u16,
}

/// Why a part of the screen changed: a guess, only a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The program wrote text.
    Text,
    /// The part is blank now.
    Clear,
    /// Lines moved here from elsewhere.
    Scroll,
    /// The program switched between the primary and the alternate screen.
    ScreenSwitch,
    /// The same text in other colours.
    Redraw,
}

/// The cursor's position and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cursor {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// Whether it is visible.
    pub visible: bool,
    /// Its shape.
    pub shape: Shape,
}

/// The cursor's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The whole cell.
    Block,
    /// A line below.
    Underline,
    /// A line at the left.
    Bar,
}

/// Neighbouring cells with the same attributes. A missing field has the value of plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Run {
    /// The first cell. A wide character takes two.
    pub x: u16,
    /// The cell after the last. It may be beyond the end of the text: a coloured background.
    pub x2: u16,
    /// Colour of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fg: Option<Color>,
    /// Colour behind the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bg: Option<Color>,
    /// Kind of underline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<Underline>,
    /// Colour of the underline, if it differs from the text's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline_color: Option<Color>,
    /// Other attributes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attribute>,
    /// The address that it links to: untrusted data from the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A colour: an index of xterm's palette, or `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Color {
    /// One of xterm's 256.
    Indexed(u8),
    /// `#rrggbb`.
    Rgb(String),
}

/// The kinds of underline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Underline {
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

/// Attributes of text other than colours and underlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Attribute {
    Bold,
    Dim,
    Italic,
    Blink,
    Inverse,
    Hidden,
    Strike,
    Overline,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Clients depend on these names.
    #[test]
    fn the_wire_format_does_not_change() {
        let cursor = Cursor { x: 3, y: 1, visible: true, shape: Shape::Block };
        let blue = Run {
            x: 0,
            x2: 2,
            fg: Some(Color::Indexed(4)),
            bg: Some(Color::Rgb("#010203".into())),
            underline: Some(Underline::Curly),
            attributes: vec![Attribute::Bold],
            ..Run::default()
        };
        let region = Region { x: 0, y: 1, x2: 80, y2: 2 };
        let cases = [
            (Update::Bell, json!({"type": "bell"})),
            (
                Update::Cursor(cursor),
                json!({"type": "cursor", "x": 3, "y": 1, "visible": true, "shape": "block"}),
            ),
            (
                Update::Diff(Diff {
                    region,
                    lines: vec!["ls".into()],
                    styles: vec![vec![blue]],
                    reason: Reason::ScreenSwitch,
                }),
                json!({
                    "type": "diff",
                    "region": {"x": 0, "y": 1, "x2": 80, "y2": 2},
                    "lines": ["ls"],
                    "styles": [[{"x": 0, "x2": 2, "fg": 4, "bg": "#010203", "underline": "curly", "attributes": ["bold"]}]],
                    "reason": "screen_switch",
                }),
            ),
            (
                Update::Snapshot(Snapshot {
                    session_id: "sess_1".into(),
                    seq: 7,
                    rows: 1,
                    cols: 80,
                    lines: vec!["ls".into()],
                    styles: vec![],
                    cursor,
                    title: "t".into(),
                    alternate: false,
                }),
                json!({
                    "type": "snapshot", "session_id": "sess_1", "seq": 7, "rows": 1, "cols": 80, "lines": ["ls"],
                    "cursor": {"x": 3, "y": 1, "visible": true, "shape": "block"}, "title": "t", "alternate": false,
                }),
            ),
            (
                Update::Exited { exit_code: Some(0), signal: None },
                json!({"type": "exited", "exit_code": 0, "signal": null}),
            ),
            (Update::Gone, json!({"type": "gone"})),
        ];
        for (update, wire) in cases {
            assert_eq!(serde_json::to_value(&update).unwrap(), wire);
            assert_eq!(serde_json::from_value::<Update>(wire).unwrap(), update);
        }
    }
}
