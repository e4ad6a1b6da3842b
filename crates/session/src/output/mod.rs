//! What a read returns: the screen, output that is new to the reader, or history.

pub(crate) mod head_tail;
pub(crate) mod images;
pub(crate) mod readers;
pub(crate) mod returned;
pub(crate) mod screen;
#[cfg(test)]
mod tests;
pub(crate) mod views;

use cotty_protocol::op::Images;
use cotty_vt::{Match, MatchPlace, Position, Vt};
use regex::Regex;

use self::readers::ReadPosition;
use self::screen::{Screen, Spot, join};
use crate::durable::checkpoint::Lost;
use crate::handle::Info;

/// Which part to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The screen, as a person sees it.
    Screen,
    /// Output since this reader's last read.
    New,
    /// The rows of the screen that changed since this reader's last read.
    Changes,
    /// Lines that left the screen: `limit` of them, without the newest `offset`.
    Scrollback {
        /// Lines to skip.
        offset: usize,
        /// Most lines to return.
        limit: usize,
    },
    /// The lines from `first` to `last`: 0 is the screen's top row, -1 the newest line that left the screen.
    Lines {
        /// The first line; by default the screen's top row.
        first: Option<i64>,
        /// The last line; by default the screen's bottom row.
        last: Option<i64>,
        /// Whether to return the same lines with colours, too.
        styled: bool,
    },
    /// History and screen as one text: the newest `limit` lines.
    Whole {
        /// Most lines to return.
        limit: usize,
    },
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ReadResult {
    /// The text.
    pub content: String,
    /// For [`View::Lines`] with `styled`: the same with colours.
    pub styled: Option<String>,
    /// Lines that left the screen and can still be read.
    pub history: usize,
    /// For [`View::Changes`]: the row of each line, from 0.
    pub rows: Vec<u16>,
    /// The seq where the read began: to page through the text, read from here again.
    pub from: u64,
    /// Lines that limits dropped before they were read.
    pub dropped: u64,
    /// Whether there was output since this reader's last read.
    pub has_new: bool,
    /// Images that the program sent since then.
    pub images: Vec<Images>,
    /// What was lost when a daemon adopted the session, if this reader was not told yet.
    pub lost: Option<Lost>,
    /// The session at that moment.
    pub info: Info,
}

/// A match of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
    /// Where it is.
    pub place: FoundAt,
}

/// Where a match was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAt {
    /// On the screen or in the history: the line's id and the cell, from 0.
    Line {
        /// The line's id.
        id: u64,
        /// The first cell of the match.
        cell: u32,
    },
    /// In the alternate-screen history.
    Past,
}

impl Screen<'_> {
    /// The text that is new to a reader at `place`, and how many of its lines had been dropped. `start`: where the first
    /// output was written. Of a text longer than `most` bytes the caller returns only a part.
    pub(crate) fn new_text(
        &self,
        place: Option<&ReadPosition>,
        start: Position,
        most: usize,
    ) -> (String, u64) {
        if self.vt.modes().alt_screen {
            return (join(&self.vt.lines_since(place.map_or(0, |place| place.seq))), 0);
        }
        let Some(place) = place else { return self.text_after(self.spot(self.first(start)), 0, &[]) };
        let new = self.text_after(place.spot, place.seq, &place.answered);
        // A text that will be cut is paged through from a seq, without regard to readers: so it has to be complete.
        let is_cut = !place.answered.is_empty() && new.0.len() > most;
        if is_cut { self.text_after(place.spot, place.seq, &[]) } else { new }
    }

    /// The text after `since`; `spot`: where the cursor was then, if known.
    pub(crate) fn text_since(&self, since: u64, spot: Option<Spot>) -> (String, u64) {
        match spot {
            _ if self.vt.modes().alt_screen => (join(&self.vt.lines_since(since)), 0),
            Some(spot) => self.text_after(spot, since, &[]),
            None => (join(&self.lines_since(since)), 0),
        }
    }
}

/// Searches the screen, the history and the alternate-screen history.
pub(crate) fn search(vt: &Vt, pattern: &Regex, limit: usize) -> Vec<Found> {
    let found = |hit: Match| {
        let place = match hit.place {
            MatchPlace::Text { from, .. } => FoundAt::Line { id: from.line.0, cell: from.cell },
            MatchPlace::Alternate { .. } => FoundAt::Past,
        };
        Found { text: hit.text, line: hit.line, place }
    };
    let find = |line: &str| pattern.find_iter(line).map(|found| found.range()).collect();
    vt.search(find, limit).into_iter().map(found).collect()
}
