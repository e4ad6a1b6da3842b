use super::chunk::Chunk;
use super::{History, PastLine};
use crate::LineId;

/// An iterator over a range of the history's lines, from either end.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    history: &'a History,
    front: LinePlace,
    /// One after the last line.
    back: LinePlace,
    left: usize,
}

/// A chunk, counted from the oldest, and a line in it. The open line comes after the last line of the
/// open chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LinePlace {
    chunk: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(history: &'a History) -> Lines<'a> {
        let front = LinePlace { chunk: 0, line: history.first(0) };
        let chunk = history.sealed.len();
        let back = LinePlace { chunk, line: history.end(chunk) };
        Lines { history, front, back, left: history.lines }
    }

    pub(super) fn from(history: &'a History, id: LineId) -> Lines<'a> {
        let mut lines = Lines::new(history);
        let mut place = lines.back;
        // Search from the end: the line is nearly always near it.
        let mut behind = 0;
        for chunk in (0..=history.sealed.len()).rev() {
            let (first, end) = (history.first(chunk), history.end(chunk));
            if chunk == history.sealed.len() || history.chunk(chunk).may_hold(id) {
                for line in (first..end).rev() {
                    let found = history.line(LinePlace { chunk, line }).is_some_and(|line| line.id == id);
                    // The pieces of a long line share one id: continue to the first of them.
                    if found {
                        place = LinePlace { chunk, line };
                        behind = lines.left - count_before(history, place);
                    } else if behind > 0 {
                        break;
                    }
                }
            } else if behind > 0 {
                break;
            }
        }
        if behind > 0 {
            lines.front = place;
            lines.left = behind;
        }
        lines
    }

    pub(super) fn newer(history: &'a History, seq: u64) -> Lines<'a> {
        let mut lines = Lines::new(history);
        while lines.front.chunk < history.sealed.len() && history.chunk(lines.front.chunk).newest() <= seq {
            lines.left -= history.end(lines.front.chunk) - lines.front.line;
            let chunk = lines.front.chunk + 1;
            lines.front = LinePlace { chunk, line: history.first(chunk) };
        }
        lines
    }
}

fn count_before(history: &History, place: LinePlace) -> usize {
    let whole: usize = (0..place.chunk).map(|chunk| history.end(chunk) - history.first(chunk)).sum();
    whole + place.line - history.first(place.chunk)
}

impl<'a> Iterator for Lines<'a> {
    type Item = PastLine<'a>;

    fn next(&mut self) -> Option<PastLine<'a>> {
        self.left = self.left.checked_sub(1)?;
        while self.front.line >= self.history.end(self.front.chunk) {
            let chunk = self.front.chunk + 1;
            self.front = LinePlace { chunk, line: self.history.first(chunk) };
        }
        let line = self.history.line(self.front);
        self.front.line += 1;
        line
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Lines<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        while self.back.line <= self.history.first(self.back.chunk) {
            let chunk = self.back.chunk.checked_sub(1)?;
            self.back = LinePlace { chunk, line: self.history.end(chunk) };
        }
        self.back.line -= 1;
        self.history.line(self.back)
    }
}

impl ExactSizeIterator for Lines<'_> {}

impl History {
    fn chunk(&self, chunk: usize) -> &Chunk {
        self.sealed.get(chunk).map_or(&self.open, |sealed| &sealed.chunk)
    }

    fn first(&self, chunk: usize) -> usize {
        self.sealed.get(chunk).map_or(self.open_first, |sealed| sealed.first)
    }

    /// How many lines a chunk has, including dropped ones.
    fn end(&self, chunk: usize) -> usize {
        let open = chunk >= self.sealed.len() && self.tail.is_some();
        self.chunk(chunk).len() + usize::from(open)
    }

    fn line(&self, place: LinePlace) -> Option<PastLine<'_>> {
        let chunk = self.chunk(place.chunk);
        match &self.tail {
            Some(tail) if place.chunk == self.sealed.len() && place.line == chunk.len() => {
                Some(chunk.open_line(tail))
            }
            _ => chunk.line(place.line),
        }
    }
}
