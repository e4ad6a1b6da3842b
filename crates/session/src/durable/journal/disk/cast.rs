//! The asciicast format, version 3: a header, then events, each with the time since the previous one.

use cotty_vt::{Painter, Vt};
use serde_json::json;

use super::folder::Description;
use super::frame::{FrameEntry, Note, Start};
use super::view::PageCursor;

/// How many lines of history are shown for a state at the start of a recording.
const HISTORY: usize = 2000;

pub(super) fn header(description: &Description, start: Start) -> String {
    let words = std::iter::once(&description.program).chain(&description.args);
    let command = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let mut header = json!({
        "version": 3,
        "term": { "cols": start.cols, "rows": start.rows, "type": "xterm-256color" },
        "timestamp": start.ms / 1000,
        "command": command,
    });
    if let Some(name) = &description.name {
        header["title"] = name.as_str().into();
    }
    header.to_string()
}

fn line(cursor: &mut PageCursor, ms: u64, code: &str, data: &str) -> String {
    let since = if cursor.ms == 0 { 0 } else { ms.saturating_sub(cursor.ms) };
    cursor.ms = cursor.ms.max(ms);
    #[expect(clippy::cast_precision_loss, reason = "no recording lasts that long")]
    let interval = since as f64 / 1000.0;
    json!([interval, code, data]).to_string()
}

/// An event as lines of a cast; none if the format has no such event.
pub(super) fn event(entry: &FrameEntry, output: &[u8], cursor: &mut PageCursor) -> Vec<String> {
    let ms = entry.ms;
    let (code, data) = match &entry.note {
        Note::Output(_) => ("o", cursor.decode(output)),
        Note::Input { text: Some(text), .. } => ("i", String::from_utf8_lossy(text).into_owned()),
        Note::Input { text: None, .. } | Note::Ended { .. } => return vec![],
        Note::Resized { cols, rows } => ("r", format!("{cols}x{rows}")),
        Note::Began { command } => ("m", command.clone().unwrap_or_default()),
        Note::Gap { bytes } => ("m", format!("{bytes} bytes were not recorded")),
        Note::Exited { code, signal } => {
            let status = code.unwrap_or_else(|| 128 + signal.unwrap_or(0));
            ("x", status.to_string())
        }
    };
    if code == "o" && data.is_empty() {
        return vec![];
    }
    let mut lines = Vec::new();
    if code == "x" && !cursor.carry.is_empty() {
        // The rest of this character will not follow.
        let rest = std::mem::take(&mut cursor.carry);
        lines.push(line(cursor, ms, "o", &String::from_utf8_lossy(&rest)));
    }
    lines.push(line(cursor, ms, code, &data));
    lines
}

/// A state as output, in place of the output before it: the newest lines of its history, then its screen.
pub(super) fn state(start: Start, state: &[u8], cursor: &mut PageCursor) -> Option<String> {
    let vt = Vt::restore(state).ok()?;
    let mut data = String::from("\x1bc");
    let skipped = vt.history_lines().saturating_sub(HISTORY);
    for text in vt.history_ansi().skip(skipped) {
        data.push_str(&text);
        data.push_str("\r\n");
    }
    data.extend(std::iter::repeat_n("\r\n", usize::from(vt.size().rows).saturating_sub(1)));
    data.push_str(&Painter::new().full(&vt));
    Some(line(cursor, start.ms, "o", &data))
}
