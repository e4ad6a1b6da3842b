//! What a front end that draws lines is told over a WebSocket: a snapshot first, then what changes.
//!
//! Columns and rows count from 0. `x2` and `y2` are the first that are *not* in a region or a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// To the front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Update {
    /// The bell rang, once or more.
    Bell,
    /// The cursor moved, or looks different.
    Cursor(Cursor),
    /// A part of the screen shows something else.
    Diff(Diff),
    /// The whole screen: first, after a change of size, after a gap, and at most every 200 ms while there are changes.
    Snapshot(Snapshot),
    /// The program ended. Nothing follows.
    Exited {
        /// With what, where it ended by itself.
        exit_code: Option<i32>,
        /// By which signal, where one ended it.
        signal: Option<i32>,
    },
    /// The session is gone. Nothing follows.
    Gone,
}

/// The screen at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The session's id.
    pub session_id: String,
    /// Output that it shows, in bytes.
    pub seq: u64,
    /// Rows of the session.
    pub rows: u16,
    /// Columns of the session.
    pub cols: u16,
    /// The text of each row from the top, right-trimmed.
    pub lines: Vec<String>,
    /// For each line where it does not look plain; left out where every line does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<Vec<Run>>,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// The title that the program set: data, not markup.
    pub title: String,
    /// Whether it is the alternate screen, that of full-screen programs.
    pub alternate: bool,
}

/// New lines for a part of the screen. It is always whole rows (`x` is 0, `x2` the number of columns), so that nobody
/// has to know how wide a character is to put them in the place of the old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// Which part.
    pub region: Region,
    /// The text of each of its rows from the top, right-trimmed.
    pub lines: Vec<String>,
    /// For each line where it does not look plain; left out where every line does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<Vec<Run>>,
    /// Why.
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

/// Why a part of the screen changed, as far as it shows: a hint, nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Something was written.
    Text,
    /// It is blank now.
    Clear,
    /// What stood elsewhere moved here.
    Scroll,
    /// The program went to the other screen.
    ScreenSwitch,
    /// The same text in other colours.
    Redraw,
}

/// Where the cursor is and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cursor {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// Whether it is to be seen.
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

/// Neighbouring cells that look alike. What is left out is as it is in plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Run {
    /// The first cell. A wide character takes two.
    pub x: u16,
    /// The cell after the last. It may lie behind the text: a coloured background.
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
    /// Colour of the underline, where it is not the text's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline_color: Option<Color>,
    /// What else there is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attribute>,
    /// The address that it links to: data from a program, not to be trusted.
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

/// What text may have beside colours and underlines.
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

    /// Clients match on these.
    #[test]
    fn the_wire_form_is_fixed() {
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
