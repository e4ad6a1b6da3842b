//! A recording page by page. Each page says where the next one begins, so an answer stays bounded however long the
//! recording is, and a reader of a live recording can continue later.

use std::io;

use cotty_protocol::text::hex;

use super::cast;
use super::folder::{Description, Folder};
use super::frame::{Frame, FrameEntry, Head, Note, Start};
use super::text;
use crate::hub::meta::timestamp;

/// The format in which a recording is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordingFormat {
    /// An asciicast, version 3.
    Cast,
    /// The text that a person would have seen.
    Text,
    /// One JSON object per event and line.
    JsonLines,
}

/// A part of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The content of the page.
    pub content: String,
    /// A handle for the next page.
    pub next: String,
    /// Whether the recording has no more content now.
    pub end: bool,
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PageCursor {
    segment: u32,
    offset: u64,
    /// The time of the last event; 0 before the first.
    pub(super) ms: u64,
    /// The first bytes of a character whose rest follows later.
    pub(super) carry: Vec<u8>,
    /// Output is missing, so the next state must be shown.
    pub(super) torn: bool,
}

impl PageCursor {
    fn parse(handle: &str) -> Option<PageCursor> {
        let parts: Vec<&str> = handle.split('.').collect();
        let [segment, offset, ms, torn, carry] = parts.as_slice() else { return None };
        let carry =
            (0..carry.len() / 2).map(|at| u8::from_str_radix(carry.get(2 * at..2 * at + 2)?, 16).ok());
        Some(PageCursor {
            segment: segment.parse().ok()?,
            offset: offset.parse().ok()?,
            ms: ms.parse().ok()?,
            torn: *torn == "1",
            carry: carry.collect::<Option<Vec<u8>>>().filter(|carry| carry.len() < 4)?,
        })
    }

    fn handle(&self) -> String {
        let carry = hex(&self.carry);
        format!("{}.{}.{}.{}.{carry}", self.segment, self.offset, self.ms, u8::from(self.torn))
    }
}

/// Reads about `limit` bytes of a recording, from the handle of the previous page or from the beginning.
pub(crate) fn view(
    folder: &Folder,
    format: RecordingFormat,
    next: Option<&str>,
    limit: usize,
) -> io::Result<Page> {
    let cursor = match next {
        Some(handle) => Some(PageCursor::parse(handle).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("`{handle}` is not the `next` of a page"))
        })?),
        None => None,
    };
    match format {
        RecordingFormat::Text => text_page(folder, cursor.unwrap_or_default(), limit),
        _ => event_page(folder, format, cursor, limit),
    }
}

fn text_page(folder: &Folder, mut cursor: PageCursor, limit: usize) -> io::Result<Page> {
    let mut content = String::new();
    let segments = folder.segments();
    let last = segments.last().map_or(0, |segment| segment.number);
    let from = cursor.segment;
    for segment in segments.iter().filter(|s| s.number >= from) {
        if segment.number > cursor.segment {
            cursor = PageCursor { segment: segment.number, ..PageCursor::default() };
        }
        let text = match std::fs::read_to_string(folder.text(segment.number)) {
            Ok(text) => text,
            Err(_) => text::read(folder, segment.number)?,
        };
        let from = usize::try_from(cursor.offset).unwrap_or(usize::MAX).min(text.len());
        let from = text.ceil_char_boundary(from);
        let to =
            text.ceil_char_boundary(text.len().min(from.saturating_add(limit.saturating_sub(content.len()))));
        content.push_str(&text[from..to]);
        cursor.offset = to as u64;
        if to < text.len() {
            return Ok(Page { content, next: cursor.handle(), end: false });
        }
        if content.len() >= limit {
            return Ok(Page { content, next: cursor.handle(), end: segment.number == last });
        }
    }
    Ok(Page { content, next: cursor.handle(), end: true })
}

fn event_page(
    folder: &Folder,
    format: RecordingFormat,
    cursor: Option<PageCursor>,
    limit: usize,
) -> io::Result<Page> {
    let description = folder.description()?;
    let mut content = String::new();
    let segments = folder.segments();
    let first = segments.first().map(|segment| segment.number);
    let mut cursor = match (cursor, first) {
        (Some(cursor), _) => cursor,
        (None, Some(first)) => {
            if let (RecordingFormat::Cast, Some((start, _))) = (format, folder.start(first)) {
                content.push_str(&cast::header(&description, start));
                content.push('\n');
            }
            PageCursor { segment: first, torn: true, ..PageCursor::default() }
        }
        (None, None) => PageCursor::default(),
    };
    let from = cursor.segment;
    for number in segments.iter().map(|s| s.number).filter(|&n| n >= from) {
        if number > cursor.segment {
            // A segment that was deleted since the last page leaves a gap.
            cursor.torn |= cursor.segment + 1 != number;
            (cursor.segment, cursor.offset) = (number, 0);
        }
        let Ok(mut frames) = folder.frames(number) else { continue };
        frames.offset = cursor.offset;
        while let Some(frame) = frames.next() {
            show(&description, format, frame, &mut cursor, &mut content);
            cursor.offset = frames.offset;
            if content.len() >= limit {
                return Ok(Page { content, next: cursor.handle(), end: false });
            }
        }
    }
    Ok(Page { content, next: cursor.handle(), end: true })
}

fn show(
    description: &Description,
    format: RecordingFormat,
    frame: Frame,
    cursor: &mut PageCursor,
    content: &mut String,
) {
    let cast = format == RecordingFormat::Cast;
    match frame.head {
        Head::Start(start) => {
            if std::mem::take(&mut cursor.torn) && cast {
                show_state(start, &frame.payload, cursor, content);
            }
            cursor.ms = cursor.ms.max(start.ms);
        }
        Head::Span(span) => {
            let mut payload = frame.payload.as_slice();
            for entry in span.entries {
                let mut output: &[u8] = &[];
                if let Note::Output(bytes) = entry.note {
                    (output, payload) = payload.split_at(payload.len().min(bytes as usize));
                }
                cursor.torn |= matches!(entry.note, Note::Gap { .. });
                let line = match cast {
                    true => cast::event(&entry, output, cursor),
                    false => line(&description.id, &entry, output, cursor),
                };
                for line in line {
                    content.push_str(&line);
                    content.push('\n');
                }
            }
        }
    }
}

fn show_state(start: Start, state: &[u8], cursor: &mut PageCursor, content: &mut String) {
    cursor.carry.clear();
    if let Some(event) = cast::state(start, state, cursor) {
        content.push_str(&event);
        content.push('\n');
    }
}

/// An event as a line of JSON; none if it has no text yet.
fn line(id: &str, entry: &FrameEntry, output: &[u8], cursor: &mut PageCursor) -> Vec<String> {
    let mut line = serde_json::json!({ "timestamp": timestamp(entry.ms), "session_id": id });
    let mut set = |name: &str, value: serde_json::Value| line[name] = value;
    match &entry.note {
        Note::Output(_) => {
            let data = cursor.decode(output);
            if data.is_empty() {
                return vec![];
            }
            set("direction", "output".into());
            set("data", data.into());
        }
        Note::Input { text: Some(text), .. } => {
            set("direction", "input".into());
            set("data", String::from_utf8_lossy(text).into());
        }
        Note::Input { bytes, text: None } => {
            set("event", "input".into());
            set("bytes", (*bytes).into());
        }
        Note::Resized { cols, rows } => {
            set("event", "resize".into());
            set("cols", (*cols).into());
            set("rows", (*rows).into());
        }
        Note::Began { command } => {
            set("event", "command".into());
            set("command", command.clone().into());
        }
        Note::Ended { code } => {
            set("event", "command_end".into());
            set("exit_code", (*code).into());
        }
        Note::Exited { code, signal } => {
            set("event", "exit".into());
            set("exit_code", (*code).into());
            set("signal", (*signal).into());
        }
        Note::Gap { bytes } => {
            set("event", "gap".into());
            set("bytes", (*bytes).into());
        }
    }
    vec![line.to_string()]
}

impl PageCursor {
    /// Output as text, without an incomplete character at its end: its bytes wait for the rest.
    pub(super) fn decode(&mut self, output: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.carry);
        bytes.extend(output);
        let whole = super::capture::whole_characters(&bytes).len();
        self.carry = bytes.split_off(whole);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
