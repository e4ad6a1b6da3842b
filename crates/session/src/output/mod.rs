//! What a reader is given: the screen, what is new to it, or what left the screen.

pub(crate) mod head_tail;
pub(crate) mod images;
pub(crate) mod readers;
pub(crate) mod screen;
#[cfg(test)]
mod tests;
pub(crate) mod told;
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
    /// What a person would see.
    Screen,
    /// What came since this reader's last read.
    New,
    /// The rows of the screen that changed since this reader's last read.
    Changes,
    /// What left the screen: `limit` lines, skipping `offset` from the newest.
    Scrollback {
        /// Lines to skip.
        offset: usize,
        /// Most lines to give.
        limit: usize,
    },
    /// These lines, both included: 0 is the screen's top row, -1 the newest line that left the screen.
    Lines {
        /// The first; the screen's top row where none is given.
        first: Option<i64>,
        /// The last; the screen's bottom row where none is given.
        last: Option<i64>,
        /// The same with colours, too, of the same moment.
        styled: bool,
    },
    /// What left the screen and what is on it, as one text that belongs together: the newest `limit` lines.
    Whole {
        /// Most lines to give.
        limit: usize,
    },
}

/// What was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The text.
    pub content: String,
    /// For [`View::Lines`], where it was asked for: the same with colours.
    pub styled: Option<String>,
    /// Lines that left the screen and can still be read.
    pub history: usize,
    /// For [`View::Changes`]: the row of each line of it, from 0.
    pub rows: Vec<u16>,
    /// Where the reading began: read from here again to page through it.
    pub from: u64,
    /// Lines that the limits had dropped before they were read.
    pub dropped: u64,
    /// Whether anything came since this reader's last read.
    pub has_new: bool,
    /// Images that came since then.
    pub images: Vec<Images>,
    /// What a daemon could not take over from the one before it, if this reader was not told yet.
    pub lost: Option<Lost>,
    /// The session at that moment.
    pub info: Info,
}

/// A place where a pattern was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
    /// Where it is.
    pub place: FoundAt,
}

/// Where something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAt {
    /// On the screen, or in what left it: the line's id and the cell, from 0.
    Line {
        /// The line's id.
        id: u64,
        /// The first cell of the match.
        cell: u32,
    },
    /// In what a full-screen program once showed.
    Past,
}

impl Screen<'_> {
    /// What is new to a reader that stands at `place`, and how many lines of it the limits had dropped. `start`: where the very
    /// first output went. Of more than `most` bytes the caller gives only a part.
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
        // What is cut is paged through from a seq on, which knows of no reader: then all is in it.
        let is_cut = !place.answered.is_empty() && new.0.len() > most;
        if is_cut { self.text_after(place.spot, place.seq, &[]) } else { new }
    }

    /// What came after `since`; `spot` is where the cursor stood then, where that is known.
    pub(crate) fn text_since(&self, since: u64, spot: Option<Spot>) -> (String, u64) {
        match spot {
            _ if self.vt.modes().alt_screen => (join(&self.vt.lines_since(since)), 0),
            Some(spot) => self.text_after(spot, since, &[]),
            None => (join(&self.lines_since(since)), 0),
        }
    }
}

/// Where a pattern is found in what is on the screen, what left it, and what full-screen programs showed.
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
