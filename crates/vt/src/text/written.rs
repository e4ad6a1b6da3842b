//! The text that a program wrote since a given seq, wherever the cursor moved.

use alloc::string::String;
use alloc::vec::Vec;

use crate::text::excerpt::{Segment, find_end, find_start, used_rows};
use crate::{Excerpt, Position, Vt};

/// The end of a program's writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    /// Where the cursor was.
    pub position: Position,
    /// The seq at that moment.
    pub seq: u64,
    /// The seq of the last change to the cursor's row.
    pub stamp: u64,
}

impl Vt {
    /// The text that was written after `since`, from a position on, and still exists: the text up to `until`, and whole
    /// lines above and below that changed in the meantime. Unchanged older text is skipped: a program that moves the
    /// cursor up or clears the screen has not written the text below it. Empty lines that the cursor passed count as
    /// written.
    pub fn written(&self, from: Position, since: u64, until: Option<Until>) -> Excerpt {
        let term = self.shown();
        let to = until.map(|until| until.position);
        if term.modes.alt_screen && term.screen().iter().any(|row| row.line == from.line) {
            return self.text_since(from, to, since);
        }
        let rows = if to.is_some() { usize::from(term.size.rows) } else { used_rows(term) };
        let past = term.history.lines_newer(since).map(Segment::Past);
        let segments: Vec<Segment<'_>> =
            past.chain(term.primary().iter().take(rows).map(Segment::Row)).collect();
        let (start, dropped) = find_start(term, &segments, from.line, to.map(|to| to.line));
        let end = to.map(|to| find_end(&segments, to.line));
        let stop = end.map_or(segments.len(), |end| end.stop);

        let is_end = |segment: &Segment<'_>| to.is_some_and(|to| to.line == segment.line());
        let text_of = |segment: &Segment<'_>, out: &mut String| {
            let line = segment.line();
            let begin = if line == from.line { from.cell } else { 0 };
            let limit = to.filter(|to| to.line == line).map_or(u32::MAX, |to| to.cell);
            segment.push_text(begin, limit, term, out);
        };
        let has_text = |segment: &Segment<'_>| {
            let mut text = String::new();
            text_of(segment, &mut text);
            !text.trim_end_matches(' ').is_empty()
        };
        let is_since = |segment: &Segment<'_>| {
            segment.stamp() > since && until.is_none_or(|until| segment.stamp() <= until.seq)
        };
        // Text between start and end counts even if it was changed again after the end.
        let is_new = |at: usize, segment: &Segment<'_>| match until {
            Some(until) if is_end(segment) => until.stamp > since || !has_text(segment),
            _ if (start..stop).contains(&at) => segment.stamp() > since,
            _ => is_since(segment),
        };
        let is_drawn = |segment: &Segment<'_>| is_since(segment) && !is_end(segment) && has_text(segment);
        let above = segments.iter().take(start.min(stop)).position(is_drawn);
        let below = segments.iter().skip(stop).rposition(is_drawn).map(|at| stop + at + 1);
        let ends_at = segments.iter().position(is_end).unwrap_or(stop);
        // A cursor that only moved up wrote nothing in its line.
        let passed =
            below.is_some() && start >= ends_at && !segments.iter().any(|s| is_end(s) && has_text(s));
        let first = above.unwrap_or(if passed { stop } else { start.min(ends_at) });
        let last = below.unwrap_or(stop);

        let mut text = String::new();
        let mut previous = None;
        let numbered: Vec<(usize, &Segment<'_>)> =
            segments.iter().enumerate().take(last).skip(first).collect();
        let new = |&(at, segment): &(usize, &Segment<'_>)| is_new(at, segment);
        let runs = numbered.chunk_by(|a, b| new(a) == new(b));
        let runs = runs.filter(|run| run.first().is_some_and(new) || !run.iter().any(|(_, s)| has_text(s)));
        for (_, segment) in runs.flatten() {
            if previous.is_some_and(|previous| previous != segment.line()) {
                trim_line(&mut text);
                text.push('\n');
            }
            previous = Some(segment.line());
            text_of(segment, &mut text);
        }
        trim_line(&mut text);
        // The cursor left the last line: the line ended with a newline, or the cursor moved to another.
        let left = end.is_some_and(|end| end.held || end.stop < segments.len());
        if left && previous.is_some_and(|previous| to.is_none_or(|to| to.line != previous)) {
            text.push('\n');
        }
        Excerpt { text, dropped }
    }
}

/// Removes blanks at the end of the last line.
fn trim_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}
