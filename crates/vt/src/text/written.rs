//! What was written since a moment, wherever the cursor went.

use alloc::string::String;
use alloc::vec::Vec;

use crate::text::excerpt::{Segment, find_end, find_start, used_rows};
use crate::{Excerpt, Position, Vt};

/// Where writing ended, and after how much output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    /// Where the cursor was.
    pub position: Position,
    /// The output until then.
    pub seq: u64,
    /// The output after which the cursor's row had been changed last.
    pub stamp: u64,
}

impl Vt {
    /// What was written from a position on, after `since`, and still stands: the text up to where it ended, and the lines
    /// above and below that were changed in the meantime, as wholes. Not what stood there before and was left as it was:
    /// who moves the cursor up, or clears the screen, has not said what is below it. Empty lines that were passed over
    /// count as written.
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
        // What stands between start and end is taken also where others changed it later.
        let is_new = |at: usize, segment: &Segment<'_>| match until {
            Some(until) if is_end(segment) => until.stamp > since || !has_text(segment),
            _ if (start..stop).contains(&at) => segment.stamp() > since,
            _ => is_since(segment),
        };
        let is_drawn = |segment: &Segment<'_>| is_since(segment) && !is_end(segment) && has_text(segment);
        let above = segments.iter().take(start.min(stop)).position(is_drawn);
        let below = segments.iter().skip(stop).rposition(is_drawn).map(|at| stop + at + 1);
        let ends_at = segments.iter().position(is_end).unwrap_or(stop);
        // A cursor that was only moved up has left nothing where it stands.
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
        // The last line did not stay the cursor's: it ended with a newline, or was left for another.
        let left = end.is_some_and(|end| end.held || end.stop < segments.len());
        if left && previous.is_some_and(|previous| to.is_none_or(|to| to.line != previous)) {
            text.push('\n');
        }
        Excerpt { text, dropped }
    }
}

/// Cuts the blanks at the end of the last line.
fn trim_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}
