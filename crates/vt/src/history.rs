use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::LineId;
use crate::cell::{CellKind, char_width};
use crate::row::Row;
use crate::style::Style;

/// A line that scrolled off the primary screen, borrowed from the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRef<'a> {
    /// The line's id, never used again for another line.
    pub id: LineId,
    /// `seq` after the last byte that changed it.
    pub stamp: u64,
    /// Its text, wraps joined, right-trimmed.
    pub text: &'a str,
}

/// A line longer than this is held in several pieces of the same id, so that a program that never
/// ends its line cannot hold the whole history in one piece that never falls out.
const PIECE_BYTES: usize = 64 << 10;
/// What a line costs beside its text, for the byte limit.
const LINE_OVERHEAD: usize = size_of::<PastLine>();

/// What scrolled off: bounded by lines and by bytes, oldest dropped first and counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct History {
    lines: VecDeque<PastLine>,
    bytes: usize,
    dropped: u64,
    max_lines: usize,
    max_bytes: usize,
}

/// A logical line (or a piece of a very long one): text and style runs, no cells.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PastLine {
    pub(crate) id: LineId,
    /// Where the piece begins in its line, in cells.
    pub(crate) start: u32,
    pub(crate) cells: u32,
    pub(crate) stamp: u64,
    text: String,
    /// Consecutive byte lengths and their styles; empty when all of it is plain.
    runs: Vec<(u32, Style)>,
}

impl History {
    pub(crate) fn new(max_lines: usize, max_bytes: usize) -> History {
        History { lines: VecDeque::new(), bytes: 0, dropped: 0, max_lines, max_bytes }
    }

    pub(crate) fn lines(&self) -> &VecDeque<PastLine> {
        &self.lines
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn set_max_lines(&mut self, lines: usize) {
        self.max_lines = lines;
        self.trim();
    }

    /// Takes a row that leaves the screen at the top, joining it to the line it continues.
    pub(crate) fn push(&mut self, row: &Row, cols: usize) {
        let joins = self.lines.back().is_some_and(|last| {
            last.id == row.line
                && last.start.saturating_add(last.cells) == row.start
                && last.text.len() < PIECE_BYTES
        });
        if !joins {
            self.lines.push_back(PastLine {
                id: row.line,
                start: row.start,
                cells: 0,
                stamp: 0,
                text: String::new(),
                runs: Vec::new(),
            });
            self.bytes += LINE_OVERHEAD;
        }
        if let Some(line) = self.lines.back_mut() {
            let before = line.cost();
            line.append(row, cols);
            self.bytes += line.cost() - before;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.lines.len() > self.max_lines || self.bytes > self.max_bytes {
            let Some(line) = self.lines.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(line.cost() + LINE_OVERHEAD);
            self.dropped += 1;
        }
    }

    /// Whether the counts are right and every line is as the engine itself would have made it.
    pub(crate) fn is_sound(&self) -> bool {
        let bytes: usize = self.lines.iter().map(|line| line.cost() + LINE_OVERHEAD).sum();
        bytes == self.bytes
            && self.bytes <= self.max_bytes
            && self.lines.len() <= self.max_lines
            && self.lines.iter().all(PastLine::is_sound)
    }
}

impl PastLine {
    pub(crate) fn as_line_ref(&self) -> LineRef<'_> {
        LineRef { id: self.id, stamp: self.stamp, text: self.text.trim_end_matches(' ') }
    }

    fn append(&mut self, row: &Row, cols: usize) {
        let len = row.line_len(cols);
        if self.text.is_empty() {
            // Most lines are one row of ASCII: one allocation, and no slack kept for ever.
            self.text.reserve_exact(len);
        }
        for col in 0..len {
            let cell = row.get(col);
            if matches!(cell.kind, CellKind::Right | CellKind::Filler) {
                continue;
            }
            let text = if cell.is_empty() { " " } else { cell.text() };
            self.add_run(text.len() as u32, cell.style);
            self.text.push_str(text);
        }
        self.cells = self.cells.saturating_add(len as u32);
        self.stamp = self.stamp.max(row.stamp);
    }

    fn add_run(&mut self, bytes: u32, style: Style) {
        match self.runs.last_mut() {
            Some((len, last)) if *last == style => *len += bytes,
            None if style.is_default() => {}
            None => {
                if !self.text.is_empty() {
                    self.runs.push((self.text.len() as u32, Style::default()));
                }
                self.runs.push((bytes, style));
            }
            Some(_) => self.runs.push((bytes, style)),
        }
    }

    /// Appends the text of the cells `from..to` of this piece.
    pub(crate) fn push_text(&self, from: u32, to: u32, out: &mut String) {
        let mut cell: u32 = 0;
        let mut inside = false;
        for c in self.text.chars() {
            let width = u32::from(char_width(c).unwrap_or(1));
            // What has no width of its own goes with the cell before it.
            if width > 0 {
                inside = cell >= from && cell < to;
                cell += width;
            }
            if inside {
                out.push(c);
            }
        }
    }

    /// The line with its styles as SGR, reset at the end when any were needed.
    pub(crate) fn ansi(&self) -> String {
        let text = self.text.trim_end_matches(' ');
        let mut out = String::with_capacity(text.len() + self.runs.len() * 8);
        if self.runs.is_empty() {
            out.push_str(text);
            return out;
        }
        let mut at = 0;
        let mut style = Style::default();
        for &(len, next) in &self.runs {
            let end = (at + len as usize).min(text.len());
            if at >= end {
                break;
            }
            if next != style {
                out.push_str(&next.sgr());
                style = next;
            }
            out.push_str(text.get(at..end).unwrap_or_default());
            at = end;
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        out
    }

    fn cost(&self) -> usize {
        self.text.len() + self.runs.len() * size_of::<(u32, Style)>()
    }

    fn is_sound(&self) -> bool {
        let mut at = 0usize;
        let runs_fit = self.runs.iter().all(|(len, _)| {
            at = at.saturating_add(*len as usize);
            *len > 0 && self.text.is_char_boundary(at)
        });
        runs_fit
            && (self.runs.is_empty() || at == self.text.len())
            && !self.text.chars().any(char::is_control)
    }
}
