//! A segment as plain text: what a person would have seen, with overwritten text in its last state. The text comes from a
//! replay of the segment, so it costs the session nothing.

use std::collections::HashSet;
use std::io;

use cotty_vt::{Size, Vt};

use super::folder::{Folder, put, recordings};
use super::frame::{Head, Note};
use super::retention::Keeping;

/// How many bytes are fed at a time: so few that no line drops out of the history before it is taken.
const STEP: usize = 8 * 1024;
const HISTORY: usize = 20_000;
/// How long a screen must not change for its rows to be kept.
const SETTLED_MS: u64 = 100;
/// Ends an incomplete sequence and returns to the primary screen.
const LEAVE: &[u8] = b"\x18\x1b[?1049l";

/// Writes the text of a segment to a file next to it, unless the file exists.
pub(super) fn write(folder: &Folder, number: u32) {
    let path = folder.text(number);
    if path.exists() {
        return;
    }
    // A segment that was deleted meanwhile needs no text.
    let Ok(text) = read(folder, number) else { return };
    if let Err(error) = put(&path, text.as_bytes()) {
        tracing::warn!(%error, path = %path.display(), "cannot write the text of a segment");
    }
}

/// Writes the missing texts of recordings whose sessions are gone.
pub(crate) fn complete(keeping: &Keeping) {
    for (id, folder) in recordings(&keeping.dir) {
        if keeping.is_live(&id) {
            continue;
        }
        for segment in folder.segments().iter().filter(|segment| !segment.has_text) {
            write(&folder, segment.number);
        }
    }
}

/// The text of a segment: the lines that changed in it.
pub(super) fn read(folder: &Folder, number: u32) -> io::Result<String> {
    let (start, state) = folder.start(number).ok_or(io::ErrorKind::InvalidData)?;
    let size = Size { cols: start.cols, rows: start.rows };
    // If this version of the engine cannot read the state, the lines before the segment are missing.
    let vt = Vt::restore(&state).unwrap_or_else(|_| Vt::new(size));
    let mut reader = SegmentReader::new(vt);
    let mut last_ms = start.ms;
    for frame in folder.frames(number)? {
        let Head::Span(span) = frame.head else { continue };
        let mut payload = frame.payload.as_slice();
        for entry in span.entries {
            match entry.note {
                Note::Output(bytes) => {
                    let (output, rest) = payload.split_at(payload.len().min(bytes as usize));
                    payload = rest;
                    if entry.ms.saturating_sub(last_ms) >= SETTLED_MS {
                        reader.vt.settle();
                    }
                    last_ms = entry.ms;
                    output.chunks(STEP).for_each(|chunk| reader.feed(chunk));
                }
                Note::Resized { cols, rows } => reader.resize(Size { cols, rows }),
                _ => {}
            }
        }
    }
    Ok(reader.finish())
}

struct SegmentReader {
    vt: Vt,
    since: u64,
    /// How many lines of the history were taken, or are older than the segment.
    seen: u64,
    text: String,
}

impl SegmentReader {
    fn new(mut vt: Vt) -> SegmentReader {
        vt.set_history_lines(HISTORY);
        let mut reader = SegmentReader { since: vt.seq(), seen: 0, text: String::new(), vt };
        reader.seen = reader.scrolled();
        reader
    }

    /// How many lines of the history can no longer grow: all but the last.
    fn scrolled(&self) -> u64 {
        (self.vt.history_dropped() + self.vt.history_lines() as u64).saturating_sub(1)
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.vt.feed(bytes);
        self.vt.take_effects();
        let scrolled = self.scrolled();
        let new = usize::try_from(scrolled.saturating_sub(self.seen)).unwrap_or(usize::MAX);
        self.seen = scrolled;
        let mut lines: Vec<&str> = Vec::new();
        for line in self.vt.history().rev().skip(1).take(new) {
            if line.stamp > self.since {
                lines.push(line.text);
            }
        }
        for line in lines.into_iter().rev() {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn resize(&mut self, size: Size) {
        self.vt.resize(size);
        // A growing screen takes lines back from the history.
        self.seen = self.scrolled();
    }

    /// Adds the lines on the screen and the alternate-screen history.
    fn finish(mut self) -> String {
        self.vt.show_unfinished();
        self.rest();
        if self.vt.modes().alt_screen {
            self.vt.feed(LEAVE);
            self.vt.show_unfinished();
            self.rest();
        }
        let kept = self.vt.alternate_history().filter(|row| row.stamp > self.since);
        for row in kept {
            self.text.push_str(&row.text);
            self.text.push('\n');
        }
        self.text
    }

    fn rest(&mut self) {
        let held = self.vt.history_lines().saturating_sub(1);
        let taken: HashSet<_> = self.vt.history().take(held).map(|line| line.id).collect();
        for line in self.vt.lines_since(self.since) {
            if !taken.contains(&line.id) {
                self.text.push_str(&line.text);
                self.text.push('\n');
            }
        }
    }
}
