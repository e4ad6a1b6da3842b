//! The history: logical lines that scrolled off, as text with style runs, bounded by lines and by bytes.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::LineId;
use crate::grid::cell::{Cell, Glyph, Kind, StyleId};
use crate::grid::row::Row;
use crate::grid::tables::Tables;
use crate::unicode::{self, Joint};

pub(crate) mod alternate;
mod chunk;
mod line;
mod lines;

use chunk::{Chunk, Tail};
pub(crate) use line::PastLine;
pub(crate) use lines::Lines;

/// A line that scrolled off the primary screen, borrowed from the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRef<'a> {
    /// The line's id, which is never reused.
    pub id: LineId,
    /// `seq` after the last byte that changed it.
    pub stamp: u64,
    /// Its text, wraps joined, right-trimmed.
    pub text: &'a str,
}

/// A longer line is stored in several pieces with the same id. Otherwise a program that never ends
/// its line would fill the history with a single piece that is never dropped.
const PIECE_BYTES: usize = 64 << 10;
/// The size at which a chunk is sealed. Small, because a snapshot copies the open chunk.
const CHUNK_BYTES: usize = 32 << 10;

/// The lines that scrolled off. The oldest are dropped first; dropped lines are counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct History {
    /// Chunks that no longer change, shared with snapshots of the terminal.
    sealed: VecDeque<Sealed>,
    open: Chunk,
    /// Lines of the open chunk that were dropped.
    open_first: usize,
    tail: Option<Tail>,
    lines: usize,
    bytes: usize,
    dropped: u64,
    max_lines: usize,
    max_bytes: usize,
    /// How many of the last lines a growing screen may take back: those that scrolled off since the
    /// screen was last cleared.
    returnable: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Sealed {
    chunk: Arc<Chunk>,
    /// Lines of the chunk that were dropped.
    first: usize,
}

impl History {
    pub(crate) fn new(max_lines: usize, max_bytes: usize) -> History {
        History {
            sealed: VecDeque::new(),
            open: Chunk::default(),
            open_first: 0,
            tail: None,
            lines: 0,
            bytes: 0,
            dropped: 0,
            max_lines,
            max_bytes,
            returnable: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines
    }

    /// Approximate size of the lines in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn max_lines(&self) -> usize {
        self.max_lines
    }

    pub(crate) fn set_max_lines(&mut self, lines: usize) {
        self.max_lines = lines;
        self.trim();
    }

    /// The lines, oldest first.
    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines::new(self)
    }

    /// The lines from this id to the end; all lines if the id is not found.
    pub(crate) fn lines_from(&self, id: LineId) -> Lines<'_> {
        Lines::from(self, id)
    }

    /// The lines of the chunks that changed after `seq`.
    pub(crate) fn lines_newer(&self, seq: u64) -> Lines<'_> {
        Lines::newer(self, seq)
    }

    /// Adds a row that leaves the screen at the top; a continuation is joined to its line.
    pub(crate) fn push(&mut self, row: &Row, cols: usize, tables: &Tables) {
        let joins = self.tail.as_ref().is_some_and(|tail| {
            tail.id == row.line.0
                && row.start > tail.start
                && self.open.text_len() - (tail.text as usize) < PIECE_BYTES
        });
        if !joins {
            self.open_line(row);
        }
        let before = self.open.text_len();
        if let Some(tail) = &mut self.tail {
            append(&mut self.open, tail, row, cols, tables);
        }
        self.bytes += self.open.text_len() - before;
        if self.lines > self.max_lines || self.bytes > self.max_bytes {
            self.trim();
        }
    }

    /// Stops a growing screen from taking back the present lines, because the screen is cleared.
    pub(crate) fn hold_back(&mut self) {
        self.returnable = 0;
    }

    /// The last line, if a growing screen may take it back.
    pub(crate) fn returnable(&self) -> Option<PastLine<'_>> {
        if self.returnable == 0 { None } else { self.lines().next_back() }
    }

    /// The last line.
    pub(crate) fn last(&self) -> Option<PastLine<'_>> {
        self.lines().next_back()
    }

    /// Removes the last line, which the screen took back.
    pub(crate) fn take_back(&mut self) {
        if self.lines == 0 {
            return;
        }
        if let Some(tail) = self.tail.take() {
            self.bytes -= self.open.text_len() - tail.text as usize;
            self.open.cut_text(tail.text);
        } else {
            if self.open.len() == self.open_first
                && let Some(last) = self.sealed.pop_back()
            {
                self.bytes -= last.chunk.overhead();
                self.open = Arc::unwrap_or_clone(last.chunk);
                self.open_first = last.first;
            }
            self.bytes -= self.open.line_size(self.open.len().saturating_sub(1));
            self.open.drop_last();
        }
        self.lines -= 1;
        self.returnable = self.returnable.saturating_sub(1);
    }

    /// Ends the open line and begins a new one.
    fn open_line(&mut self, row: &Row) {
        let mut tail = self.close_tail().unwrap_or_default();
        tail.id = row.line.0;
        tail.start = row.start;
        tail.cells = 0;
        tail.stamp = 0;
        tail.text = self.open.text_len() as u32;
        tail.last = tail.text;
        tail.runs.clear();
        tail.layout.clear();
        tail.irregular = false;
        self.tail = Some(tail);
        self.lines += 1;
        self.returnable += 1;
    }

    /// Closes the open line; returns its memory for the next one.
    fn close_tail(&mut self) -> Option<Tail> {
        let tail = self.tail.take()?;
        self.bytes -= self.open.text_len() - tail.text as usize;
        self.open.close(&tail);
        self.bytes += self.open.line_size(self.open.len() - 1);
        if self.open.size() >= CHUNK_BYTES {
            let mut chunk = core::mem::take(&mut self.open);
            let first = core::mem::take(&mut self.open_first);
            if first < chunk.len() {
                chunk.seal();
                self.bytes += chunk.overhead();
                self.sealed.push_back(Sealed { chunk: Arc::new(chunk), first });
            }
        }
        Some(tail)
    }

    fn trim(&mut self) {
        while self.lines > 0 && (self.lines > self.max_lines || self.bytes > self.max_bytes) {
            self.drop_first();
        }
        self.returnable = self.returnable.min(self.lines);
    }

    fn drop_first(&mut self) {
        if let Some(front) = self.sealed.front_mut() {
            self.bytes -= front.chunk.line_size(front.first);
            front.first += 1;
            if front.first >= front.chunk.len() {
                self.bytes -= front.chunk.overhead();
                self.sealed.pop_front();
            }
        } else {
            if self.open_first == self.open.len() {
                // Only the open line is left, and it exceeds the limits.
                self.close_tail();
                if !self.sealed.is_empty() {
                    return self.drop_first();
                }
            }
            self.bytes -= self.open.line_size(self.open_first);
            self.open_first += 1;
        }
        self.lines -= 1;
        self.dropped += 1;
    }

    /// Whether the counts are right and the engine could have produced every line.
    pub(crate) fn is_sound(&self, next_line: u64, seq: u64) -> bool {
        let chunks = self.sealed.iter().map(|sealed| (&*sealed.chunk, sealed.first));
        let (mut lines, mut bytes) = (0, 0);
        for (chunk, first) in chunks.chain([(&self.open, self.open_first)]) {
            if first > chunk.len() {
                return false;
            }
            lines += chunk.len() - first;
            bytes += (first..chunk.len()).map(|at| chunk.line_size(at)).sum::<usize>();
        }
        bytes += self.sealed.iter().map(|sealed| sealed.chunk.overhead()).sum::<usize>();
        if let Some(tail) = &self.tail {
            lines += 1;
            bytes += self.open.text_len().saturating_sub(tail.text as usize);
        }
        self.sealed.iter().all(|sealed| sealed.chunk.is_sound(None))
            && self.open.is_sound(self.tail.as_ref())
            && lines == self.lines
            && self.lines <= self.max_lines
            && self.returnable <= self.lines
            && self.bytes == bytes
            && self.bytes <= self.max_bytes
            && self.lines().all(|line| line.id.0 < next_line && line.stamp <= seq)
    }
}

/// Adds a row to the open line.
fn append(chunk: &mut Chunk, tail: &mut Tail, row: &Row, cols: usize, tables: &Tables) {
    let len = row.line_len(cols);
    tail.cells = tail.cells.saturating_add(len as u32);
    tail.stamp = tail.stamp.max(row.stamp);
    if !row.is_ascii() {
        append_complex(chunk, tail, row, len, tables);
        return;
    }
    let written = row.cells().get(..len).unwrap_or(row.cells());
    let before = chunk.text_len() as u32 - tail.text;
    chunk.text_mut().extend(written.iter().map(|cell| cell.byte()));
    if row.is_styled() {
        let mut at = before;
        for run in written.chunk_by(|a, b| a.style == b.style) {
            let style = past_style(chunk, run[0].style, tables);
            add_run(tail, at, run.len() as u32, style);
            at += run.len() as u32;
        }
    } else {
        add_run(tail, before, written.len() as u32, StyleId(0));
    }
    // Blanks after the written part, in a row whose line continues.
    if written.len() < len {
        let before = chunk.text_len() as u32 - tail.text;
        add_run(tail, before, (len - written.len()) as u32, StyleId(0));
        chunk.text_mut().extend(core::iter::repeat_n(b' ', len - written.len()));
    }
    if len > 0 {
        tail.last = chunk.text_len() as u32 - 1;
        if tail.irregular {
            tail.layout.extend(core::iter::repeat_n((1, 1), len));
        }
    }
}

fn append_complex(chunk: &mut Chunk, tail: &mut Tail, row: &Row, len: usize, tables: &Tables) {
    let written = row.cells().get(..len).unwrap_or(row.cells());
    chunk.text_mut().reserve(len * 3);
    // The character before the row, if the line has one.
    let joined = chunk.text_len() > tail.text as usize;
    let mut last = if joined { chunk.text_from(tail.last).chars().next_back() } else { None };
    let styled = row.is_styled();
    for (at, run) in written.chunk_by(|a, b| !styled || a.style == b.style).enumerate() {
        let style = past_style(chunk, run[0].style, tables);
        let before = chunk.text_len() as u32;
        // In a regular row only the first cell, which may join the previous row, is checked by itself.
        let checked = match (row.is_irregular() || tail.irregular, at) {
            (true, _) => run.len(),
            (false, 0) => 1,
            (false, _) => 0,
        };
        let (first, rest) = run.split_at(checked);
        for cell in first {
            last = append_cell(chunk, tail, *cell, last, tables);
        }
        if tail.irregular {
            for cell in rest {
                last = append_cell(chunk, tail, *cell, last, tables);
            }
        } else {
            tail.last = append_regular(chunk.text_mut(), rest, tail.last, tables);
        }
        add_run(tail, before - tail.text, chunk.text_len() as u32 - before, style);
    }
    for _ in written.len()..len {
        let before = chunk.text_len() as u32 - tail.text;
        append_cell(chunk, tail, Cell::BLANK, None, tables);
        add_run(tail, before, 1, StyleId(0));
    }
}

/// Adds cells whose layout follows from segmenting their text; returns where the last one begins.
fn append_regular(text: &mut Vec<u8>, cells: &[Cell], last: u32, tables: &Tables) -> u32 {
    let mut last = last as usize;
    let mut rest = cells.iter();
    while let Some(cell) = rest.next() {
        if cell.is_ascii() {
            last = text.len();
            text.push(cell.byte());
            continue;
        }
        match cell.kind() {
            Kind::Narrow => {}
            // The right half has no text.
            Kind::Wide => drop(rest.next()),
            Kind::Right | Kind::Filler => continue,
        }
        last = text.len();
        match cell.glyph() {
            Glyph::Cluster(index) => text.extend_from_slice(tables.clusters.get(index).as_bytes()),
            // A fast path for the most common length.
            Glyph::Char(c @ '\u{800}'..='\u{ffff}') => {
                let tail = |shift: u32| 0x80 | (u32::from(c) >> shift & 0x3f) as u8;
                text.extend([0xe0 | (u32::from(c) >> 12) as u8, tail(6), tail(0)]);
            }
            Glyph::Char(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    last as u32
}

/// Adds a cell; returns its last character.
fn append_cell(
    chunk: &mut Chunk,
    tail: &mut Tail,
    cell: Cell,
    last: Option<char>,
    tables: &Tables,
) -> Option<char> {
    let at = chunk.text_len() as u32;
    if cell.is_ascii() {
        chunk.text_mut().push(cell.byte());
        if tail.irregular {
            tail.layout.push((1, 1));
        }
        tail.last = at;
        return Some(char::from(cell.byte()));
    }
    let width = match cell.kind() {
        Kind::Narrow => 1,
        Kind::Wide => 2,
        Kind::Right | Kind::Filler => return last,
    };
    let (first, end, derived) = match cell.glyph() {
        Glyph::Char(c) => (c, c, unicode::props(c).width() == width),
        Glyph::Cluster(index) => {
            let mut chars = tables.clusters.get(index).chars();
            let first = chars.next().unwrap_or(' ');
            (first, chars.next_back().unwrap_or(first), tables.clusters.is_regular(index))
        }
    };
    let joins = last.is_some_and(|last| match unicode::joint(unicode::props(last), unicode::props(first)) {
        Joint::Never => false,
        Joint::Always => true,
        Joint::Depends => unicode::joins(chunk.text_from(tail.last), first),
    });
    if (!derived || joins) && !tail.irregular {
        // From here on the layout must be stored; before, it followed from segmenting the text.
        let so_far = chunk.text_from(tail.text);
        tail.layout.extend(unicode::clusters(so_far).map(|(text, width)| (text.len() as u32, width)));
        tail.irregular = true;
    }
    match cell.glyph() {
        Glyph::Char(c) => chunk.text_mut().extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Glyph::Cluster(index) => chunk.text_mut().extend_from_slice(tables.clusters.get(index).as_bytes()),
    }
    if tail.irregular {
        tail.layout.push((chunk.text_len() as u32 - at, width));
    }
    tail.last = at;
    Some(end)
}

fn past_style(chunk: &mut Chunk, style: StyleId, tables: &Tables) -> StyleId {
    if style == StyleId(0) {
        return style;
    }
    let look = tables.styles.get(style);
    chunk.intern(look, tables.links.get(look.link()))
}

fn add_run(tail: &mut Tail, before: u32, bytes: u32, style: StyleId) {
    match tail.runs.last_mut() {
        _ if bytes == 0 => {}
        Some((len, last)) if *last == style => *len += bytes,
        None if style == StyleId(0) => {}
        None => {
            if before > 0 {
                tail.runs.push((before, StyleId(0)));
            }
            tail.runs.push((bytes, style));
        }
        Some(_) => tail.runs.push((bytes, style)),
    }
}
