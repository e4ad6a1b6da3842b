use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::grid::attributes::Attributes;
use crate::grid::cell::Kind;
use crate::grid::row::Row;
use crate::history::PastLine;
use crate::term::Term;
use crate::text::read::CellRef;
use crate::{Style, Vt};

/// The id of a logical line, which is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineId(pub u64);

/// A place in the text, which scrolling and reflow do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The logical line.
    pub line: LineId,
    /// The cell in it, from 0.
    pub cell: u32,
}

/// A logical line's text with its id and stamp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The line's id.
    pub id: LineId,
    /// `seq` after the last byte that changed it.
    pub stamp: u64,
    /// Its text, wraps joined, right-trimmed.
    pub text: String,
}

/// A range of text, and how much of it was missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Excerpt {
    /// The lines that still exist, separated by `\n`.
    pub text: String,
    /// Approximately how many earlier lines of the range were dropped from the history.
    pub dropped: u64,
}

/// Selects lines that changed after a seq, but not within any of the ranges of seqs.
type Wanted<'a> = (u64, &'a [(u64, u64)]);

impl Vt {
    /// The text from one position up to another (exclusive), in the history and the primary screen, or
    /// on the alternate screen if the first position is there. If a line is gone, the next existing
    /// line takes its place.
    pub fn text_between(&self, from: Position, to: Position) -> Excerpt {
        self.excerpt(from, Some(to), (0, &[]), Ink::Plain)
    }

    /// The text from a position to the last used line, or to the cursor's line if that is lower.
    pub fn text_from(&self, from: Position) -> Excerpt {
        self.excerpt(from, None, (0, &[]), Ink::Plain)
    }

    /// Like [`Vt::text_between`], or [`Vt::text_from`] without an end, but skips text that has not changed since `seq`: a program
    /// that moves the cursor up or clears the screen has not written the text below it.
    pub fn text_since(&self, from: Position, to: Option<Position>, seq: u64) -> Excerpt {
        self.excerpt(from, to, (seq, &[]), Ink::Plain)
    }

    /// Like [`Vt::text_since`], but also skips lines whose last change lies in one of the `returned` ranges of seqs.
    pub fn text_since_except(
        &self,
        from: Position,
        to: Option<Position>,
        seq: u64,
        returned: &[(u64, u64)],
    ) -> Excerpt {
        self.excerpt(from, to, (seq, returned), Ink::Plain)
    }

    /// Like [`Vt::text_between`], with styles as SGR; each line ends in the default style.
    pub fn ansi_between(&self, from: Position, to: Position) -> Excerpt {
        self.excerpt(from, Some(to), (0, &[]), Ink::Styled)
    }

    /// Like [`Vt::text_from`], with styles as SGR; each line ends in the default style.
    pub fn ansi_from(&self, from: Position) -> Excerpt {
        self.excerpt(from, None, (0, &[]), Ink::Styled)
    }

    /// The logical lines that changed after `seq`, top to bottom: those of the alternate screen while it
    /// is shown, otherwise those of the history and of the primary screen, down to the last used line or
    /// the cursor's line.
    pub fn lines_since(&self, seq: u64) -> Vec<Line> {
        let term = self.shown();
        let mut lines: Vec<Line> = Vec::new();
        let mut add = |segment: Segment<'_>| {
            let joins = lines.last().is_some_and(|last| last.id == segment.line());
            if !joins {
                lines.push(Line { id: segment.line(), stamp: 0, text: String::new() });
            }
            if let Some(line) = lines.last_mut() {
                line.stamp = line.stamp.max(segment.stamp());
                segment.push_text(0, u32::MAX, term, &mut line.text);
            }
        };
        if term.modes.alt_screen {
            term.screen().iter().map(Segment::Row).for_each(add);
        } else {
            term.history.lines_newer(seq).map(Segment::Past).for_each(&mut add);
            term.primary().iter().take(used_rows(term)).map(Segment::Row).for_each(add);
        }
        lines.retain(|line| line.stamp > seq);
        for line in &mut lines {
            line.text.truncate(line.text.trim_end_matches(' ').len());
        }
        lines
    }

    /// Filters the lines returned by [`Vt::lines_since`]: keeps those above the given line.
    pub fn lines_above(&self, line: LineId, mut lines: Vec<Line>) -> Vec<Line> {
        let rows = self.shown().primary();
        match lines.iter().position(|changed| changed.id == line) {
            Some(at) => lines.truncate(at),
            // The line itself did not change. Line ids ascend, except for lines that were inserted above.
            None => {
                let at = rows.iter().position(|row| row.line == line);
                let inserted = |id| at.is_some_and(|at| rows.iter().take(at).any(|row| row.line == id));
                lines.retain(|changed| changed.id < line || inserted(changed.id));
            }
        }
        lines
    }

    fn excerpt(&self, from: Position, to: Option<Position>, wanted: Wanted<'_>, ink: Ink) -> Excerpt {
        let term = self.shown();
        let (since, returned) = wanted;
        let rows = if to.is_some() { usize::from(term.size.rows) } else { used_rows(term) };
        // A line on the alternate screen is read there. A line that begins on the screen does not need the
        // history.
        let alternate = term.screen().iter().any(|row| row.line == from.line) && term.modes.alt_screen;
        let screen = if alternate { term.screen() } else { term.primary() };
        let rows = if alternate { screen.len() } else { rows };
        let begun = screen.iter().find(|row| row.line == from.line).is_some_and(|row| row.start == 0);
        let past = if begun || alternate { None } else { Some(term.history.lines_from(from.line)) };
        let past = past.into_iter().flatten().map(Segment::Past);
        let segments: Vec<Segment<'_>> = past.chain(screen.iter().take(rows).map(Segment::Row)).collect();
        let (first, dropped) = find_start(term, &segments, from.line, to.map(|to| to.line));
        let end = to.map(|to| find_end(&segments, to.line));
        let stop = end.map_or(segments.len(), |end| end.stop);
        let mut text = String::new();
        let mut previous = None;
        let mut line_begin = 0;
        let mut style = Style::default();
        let limit = |line| to.filter(|to| to.line == line).map_or(u32::MAX, |to| to.cell);
        let begin = |line| if line == from.line { from.cell } else { 0 };
        let is_returned = |stamp| returned.iter().any(|&(after, upto)| after < stamp && stamp <= upto);
        let is_new = |segment: &Segment<'_>| {
            let stamp = segment.stamp();
            (stamp > since && !is_returned(stamp)) || limit(segment.line()) != u32::MAX
        };
        let has_text = |segment: &Segment<'_>| {
            let mut text = String::new();
            segment.push_text(begin(segment.line()), u32::MAX, term, &mut text);
            !text.trim_end_matches(' ').is_empty()
        };
        let within = segments.get(first..stop).unwrap_or_default();
        let runs = within.chunk_by(|a, b| is_new(a) == is_new(b));
        let runs =
            runs.filter(|run| wanted == (0, &[]) || run.iter().any(is_new) || !run.iter().any(has_text));
        for segment in runs.flatten() {
            let line = segment.line();
            if previous.is_some_and(|previous| previous != line) {
                end_line(&mut text, line_begin, &mut style);
                text.push('\n');
                line_begin = text.len();
            }
            previous = Some(line);
            match ink {
                Ink::Plain => segment.push_text(begin(line), limit(line), term, &mut text),
                Ink::Styled => segment.push_ansi(begin(line), limit(line), term, &mut style, &mut text),
            }
        }
        end_line(&mut text, line_begin, &mut style);
        // The end is at the start of a line that is gone, so the text before it ended with a newline.
        if previous.is_some() && end.is_some_and(|end| !end.held && end.stop < segments.len()) {
            text.push('\n');
        }
        Excerpt { text, dropped }
    }
}

/// The number of rows of the primary screen down to the last row with text or the cursor's row.
pub(crate) fn used_rows(term: &Term) -> usize {
    let cursor = if term.modes.alt_screen { term.saved[0] } else { term.cursor };
    term.primary().used().max(usize::from(cursor.row) + 1)
}

/// Where an excerpt starts, and how many of its earlier lines were dropped.
pub(crate) fn find_start(
    term: &Term,
    segments: &[Segment<'_>],
    line: LineId,
    end: Option<LineId>,
) -> (usize, u64) {
    if let Some(at) = segments.iter().position(|segment| segment.line() == line) {
        return (at, 0);
    }
    let oldest = segments.iter().map(Segment::line).min();
    match oldest {
        // The line was erased or does not exist yet: start at the next one.
        Some(oldest) if oldest < line => {
            let next = segments.iter().position(|segment| segment.line() > line);
            (next.unwrap_or(segments.len()), 0)
        }
        Some(oldest) => {
            let kept = end.map_or(oldest, |end| end.min(oldest));
            (0, kept.0.saturating_sub(line.0).min(term.history.dropped()))
        }
        None => (0, 0),
    }
}

#[derive(Clone, Copy)]
pub(crate) struct End {
    /// The first segment after the excerpt.
    pub(crate) stop: usize,
    pub(crate) held: bool,
}

pub(crate) fn find_end(segments: &[Segment<'_>], line: LineId) -> End {
    match segments.iter().rposition(|segment| segment.line() == line) {
        Some(last) => End { stop: last + 1, held: true },
        None => {
            let next = segments.iter().position(|segment| segment.line() > line);
            End { stop: next.unwrap_or(segments.len()), held: false }
        }
    }
}

fn end_line(text: &mut String, begin: usize, style: &mut Style) {
    let line = text.get(begin..).unwrap_or_default();
    let end = begin + line.trim_end_matches(' ').len();
    text.truncate(end);
    if core::mem::take(style) != Style::default() {
        text.push_str("\x1b[0m");
    }
}

/// Whether to include styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ink {
    Plain,
    Styled,
}

/// A piece of a logical line, in the history or on the screen.
pub(crate) enum Segment<'a> {
    Past(PastLine<'a>),
    Row(&'a Row),
}

impl Segment<'_> {
    pub(crate) fn line(&self) -> LineId {
        match self {
            Segment::Past(line) => line.id,
            Segment::Row(row) => row.line,
        }
    }

    pub(crate) fn stamp(&self) -> u64 {
        match self {
            Segment::Past(line) => line.stamp,
            Segment::Row(row) => row.stamp,
        }
    }

    /// Appends the text of the line's cells `from..to`, as far as this piece holds them.
    pub(crate) fn push_text(&self, from: u32, to: u32, term: &Term, out: &mut String) {
        let within = |start: u32| (from.saturating_sub(start), to.saturating_sub(start));
        match self {
            Segment::Past(line) => {
                let (from, to) = within(line.start);
                line.push_text(from, to, out);
            }
            Segment::Row(row) => {
                let (from, to) = within(row.start);
                let len = row.line_len(term.cols()).min(to as usize);
                term.tables.push_text(row, from as usize, len, out);
            }
        }
    }

    /// Like `push_text`, with styles; `style` is the style in effect before and after.
    fn push_ansi(&self, from: u32, to: u32, term: &Term, style: &mut Style, out: &mut String) {
        let mut push = |cell: u32, width: u8, look: Attributes, text: &str| {
            if cell < from || cell >= to || width == 0 {
                return;
            }
            let next = look.style();
            if next != *style {
                *style = next;
                out.push_str(&next.sgr());
            }
            out.push_str(text);
        };
        match self {
            Segment::Past(line) => {
                let mut cell = line.start;
                let mut pieces = line.pieces();
                let (mut left, mut look) = (0, Attributes::default());
                for (cluster, width) in line.clusters() {
                    if left == 0
                        && let Some((piece, next, _)) = pieces.next()
                    {
                        (left, look) = (piece.len(), next);
                    }
                    left = left.saturating_sub(cluster.len());
                    push(cell, width, look, cluster);
                    cell = cell.saturating_add(u32::from(width));
                }
            }
            Segment::Row(row) => {
                for col in 0..row.line_len(term.cols()) {
                    let cell = CellRef::new(row.get(col), &term.tables);
                    let text = if cell.text.is_empty() { " " } else { &cell.text };
                    let at = row.start.saturating_add(col as u32);
                    let width = if row.get(col).kind() == Kind::Filler { 0 } else { cell.width };
                    push(at, width, term.tables.look(row.get(col)), text);
                }
            }
        }
    }
}
