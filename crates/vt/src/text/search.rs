use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::grid::cell::Kind;
use crate::grid::row::Row;
use crate::term::Term;
use crate::{LineId, Position, Vt};

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where it is.
    pub place: MatchPlace,
    /// The matched text.
    pub text: String,
    /// The whole line that contains it.
    pub line: String,
}

/// Where a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchPlace {
    /// In the history or on the current screen: from a position up to another.
    Text {
        /// Its first cell.
        from: Position,
        /// The cell after it.
        to: Position,
    },
    /// In the alternate-screen history.
    Alternate {
        /// The index of the row in [`Vt::alternate_history`].
        row: usize,
        /// The first byte of the match in the row.
        from: usize,
        /// The byte after the match.
        to: usize,
    },
}

/// Returns the matches in a line.
type Find<'a> = &'a dyn Fn(&str) -> Vec<Range<usize>>;

impl Vt {
    /// Searches the current screen, the history and the alternate-screen history, newest first, for at most `limit` matches.
    /// A wrapped line is searched as one line. `find` returns the matches in a line, in order and without overlaps, so the
    /// engine does not depend on a pattern syntax.
    pub fn search(&self, find: impl Fn(&str) -> Vec<Range<usize>>, limit: usize) -> Vec<Match> {
        let term = self.shown();
        let mut found = Vec::new();
        let screens: &[bool] = if term.modes.alt_screen { &[true, false] } else { &[false] };
        for &alternate in screens {
            search_lines(term, alternate, &find, limit, &mut found);
        }
        for (row, past) in term.alternate_history.rows().iter().enumerate().rev() {
            if found.len() >= limit {
                break;
            }
            let start = found.len();
            for hit in find(&past.text).into_iter().take(limit.saturating_sub(found.len())) {
                let place = MatchPlace::Alternate { row, from: hit.start, to: hit.end };
                found.push(Match { place, text: past.text[hit].into(), line: past.text.clone() });
            }
            found[start..].reverse();
        }
        found
    }
}

/// Searches a screen and, after the primary screen, the history.
fn search_lines(term: &Term, alternate: bool, find: Find<'_>, limit: usize, found: &mut Vec<Match>) {
    let mut line = Whole::default();
    let rows = term.screens[usize::from(alternate)].iter().rev();
    for row in rows {
        if row.line != line.id {
            line.search(find, limit, found);
            line = Whole { id: row.line, ..Whole::default() };
        }
        line.prepend_row(row, term);
        if found.len() >= limit {
            return;
        }
    }
    if !alternate {
        for past in term.history.lines().rev() {
            if past.id != line.id {
                line.search(find, limit, found);
                line = Whole { id: past.id, ..Whole::default() };
            }
            let cells = past.clusters().map(|(text, width)| (text.len(), u32::from(width)));
            line.prepend(past.text, past.start, cells);
            if found.len() >= limit {
                return;
            }
        }
    }
    line.search(find, limit, found);
}

/// A logical line, assembled from its end.
struct Whole {
    id: LineId,
    text: String,
    /// Where the clusters begin: byte and cell.
    cells: Vec<(usize, u32)>,
    end: u32,
}

impl Default for Whole {
    fn default() -> Self {
        Whole { id: LineId(0), text: String::new(), cells: Vec::new(), end: 0 }
    }
}

impl Whole {
    fn prepend_row(&mut self, row: &Row, term: &Term) {
        let len = row.line_len(term.cols());
        let mut text = String::new();
        let mut cells = Vec::with_capacity(len);
        for col in 0..len {
            let before = text.len();
            term.tables.push_text(row, col, col + 1, &mut text);
            let width = match row.get(col).kind() {
                Kind::Narrow => 1,
                Kind::Wide => 2,
                Kind::Right | Kind::Filler => continue,
            };
            cells.push((text.len() - before, width));
        }
        self.prepend(&text, row.start, cells.into_iter());
    }

    fn prepend(&mut self, text: &str, start: u32, cells: impl Iterator<Item = (usize, u32)>) {
        let (mut byte, mut cell) = (0, start);
        let mut places = Vec::new();
        for (len, width) in cells {
            places.push((byte, cell));
            byte += len;
            cell = cell.saturating_add(width);
        }
        if self.text.is_empty() {
            self.end = cell;
        }
        places.extend(self.cells.iter().map(|(at, cell)| (at + text.len(), *cell)));
        self.cells = places;
        self.text.insert_str(0, text);
    }

    fn search(&self, find: Find<'_>, limit: usize, found: &mut Vec<Match>) {
        let text = self.text.trim_end_matches(' ');
        if text.is_empty() {
            return;
        }
        let start = found.len();
        for hit in find(text) {
            let (from, to) = (self.position(hit.start, false), self.position(hit.end, true));
            let place = MatchPlace::Text { from, to };
            found.push(Match { place, text: text[hit].into(), line: text.into() });
        }
        // Newest first: the last match in the line comes first.
        found[start..].reverse();
        found.truncate(limit);
    }

    /// The cell of a byte: that of the cluster that contains it, or for an end, the next cluster's.
    fn position(&self, byte: usize, end: bool) -> Position {
        let at = self.cells.partition_point(|(begin, _)| *begin <= byte);
        let exact = at.checked_sub(1).and_then(|at| self.cells.get(at));
        let cell = match exact {
            Some((begin, cell)) if !end || *begin == byte => *cell,
            _ => self.cells.get(at).map_or(self.end, |(_, cell)| *cell),
        };
        let cell = if byte >= self.text.len() { self.end } else { cell };
        Position { line: self.id, cell }
    }
}
