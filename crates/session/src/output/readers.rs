//! Who reads a session, and how far each has read. Told where a reader stands; asks nothing of the terminal.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cotty_protocol::op::Images;
use serde::{Deserialize, Serialize};

use super::images::Gallery;
use super::screen::Spot;
use super::told::Answered;
use crate::durable::checkpoint::Lost;
use crate::input::push_bounded;

/// Readers whose places are remembered; the one that is furthest behind is forgotten first.
const MOST_READERS: usize = 256;

/// Where a reader stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadPosition {
    /// Output that it has read.
    pub(crate) seq: u64,
    pub(crate) spot: Spot,
    /// What further on is not new to it: `run` has answered it. In order.
    pub(crate) answered: Vec<Answered>,
}

/// A reader, and by which request it came where it is: one that comes again reads from `before`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reader {
    place: ReadPosition,
    before: Option<ReadPosition>,
    #[serde(rename = "request")]
    retry_id: u64,
}

/// What is saved of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadPositions {
    readers: BTreeMap<String, Reader>,
    /// Where readers stood before.
    passed: VecDeque<ReadPosition>,
}

/// The readers of a session.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    places: ReadPositions,
    images: Gallery,
    /// Who has been told of what was lost: each reader once by each daemon.
    told_lost: BTreeSet<String>,
}

impl Readers {
    /// What is saved of them.
    pub(crate) fn places(&self) -> &ReadPositions {
        &self.places
    }

    /// As they were saved.
    pub(crate) fn restore(&mut self, places: ReadPositions) {
        self.places = places;
    }

    /// Where a reader stood before this request, whether that comes for the first time or again.
    pub(crate) fn before(&self, reader: &str, retry_id: u64) -> Option<ReadPosition> {
        let known = self.places.readers.get(reader)?;
        if known.retry_id == retry_id { known.before.clone() } else { Some(known.place.clone()) }
    }

    /// A reader has read up to here.
    pub(crate) fn read(&mut self, reader: &str, place: ReadPosition, retry_id: u64) {
        let before = self.put(reader, place, retry_id);
        let before = before.map(|before| ReadPosition { answered: Vec::new(), ..before });
        if let Some(before) = before.filter(|before| !self.places.passed.contains(before)) {
            // What was read from there may be paged through.
            push_bounded(&mut self.places.passed, before);
        }
    }

    /// Puts a reader where a request brought it; answers where it stood before.
    pub(crate) fn put(&mut self, reader: &str, place: ReadPosition, retry_id: u64) -> Option<ReadPosition> {
        let before = self.before(reader, retry_id);
        let readers = &mut self.places.readers;
        let oldest = || readers.iter().min_by_key(|(_, known)| known.place.seq).map(|(name, _)| name.clone());
        if readers.len() >= MOST_READERS
            && !readers.contains_key(reader)
            && let Some(oldest) = oldest()
        {
            readers.remove(&oldest);
        }
        readers.insert(reader.to_owned(), Reader { place, before: before.clone(), retry_id });
        before
    }

    /// Where the cursor stood after that much output, if anybody read then.
    pub(crate) fn spot_at(&self, seq: u64) -> Option<Spot> {
        let here = self.places.readers.values().map(|known| &known.place);
        here.chain(&self.places.passed).find(|place| place.seq == seq).map(|place| place.spot)
    }

    /// The program sent an image.
    pub(crate) fn image(&mut self, seq: u64, kind: cotty_vt::ImageKind, bytes: u64) {
        self.images.came(seq, kind, bytes);
    }

    /// Images that came after so much output, and not after so much.
    pub(crate) fn images(&self, since: u64, until: u64) -> Vec<Images> {
        self.images.between(since, until)
    }

    /// What a reader is to be told now of what was lost.
    pub(crate) fn news(&mut self, lost: Option<&Lost>, reader: &str) -> Option<Lost> {
        let lost = lost?;
        self.told_lost.insert(reader.to_owned()).then(|| lost.clone())
    }
}

#[cfg(test)]
impl ReadPositions {
    /// Something in every field.
    pub(crate) fn filled(spot: Spot) -> ReadPositions {
        let position = |line| cotty_vt::Position { line: cotty_vt::LineId(line), cell: 3 };
        let answered = Answered { from: position(2), to: position(3), since: 4, until: 5 };
        let place = ReadPosition { seq: 3, spot, answered: vec![answered] };
        let reader = Reader { place: place.clone(), before: Some(place.clone()), retry_id: 6 };
        ReadPositions { readers: [("agent".to_owned(), reader)].into(), passed: [place].into() }
    }
}

#[cfg(test)]
mod tests {
    use cotty_vt::{LineId, Position};

    use super::*;

    fn place(seq: u64) -> ReadPosition {
        let position = Position { line: LineId(seq), cell: 0 };
        ReadPosition { seq, spot: Spot { position, before: 0, alt_screen: false }, answered: Vec::new() }
    }

    #[test]
    fn a_request_that_comes_again_reads_from_where_it_read() {
        let mut readers = Readers::default();
        assert_eq!(readers.before("a", 1), None);
        readers.read("a", place(10), 1);
        assert_eq!(readers.before("a", 1), None, "it had read nothing");
        assert_eq!(readers.before("a", 2), Some(place(10)));
        readers.read("a", place(20), 2);
        assert_eq!(readers.before("a", 2), Some(place(10)));
        assert_eq!(readers.before("a", 3), Some(place(20)));
        assert_eq!(readers.before("b", 3), None, "each has its own place");
        let known = |seq| readers.spot_at(seq).map(|spot| spot.position.line.0);
        assert_eq!([known(10), known(20), known(15)], [Some(10), Some(20), None]);
    }

    #[test]
    fn the_reader_that_is_furthest_behind_is_forgotten_first() {
        let mut readers = Readers::default();
        for number in 0..MOST_READERS as u64 {
            readers.read(&number.to_string(), place(1000 - number), 0);
        }
        readers.read("new", place(2000), 0);
        let (last, first) = ((MOST_READERS - 1).to_string(), "0");
        assert!(readers.before(&last, 1).is_none() && readers.before(first, 1).is_some());
    }

    #[test]
    fn a_reader_is_told_once_what_was_lost() {
        let mut readers = Readers::default();
        let lost = Lost { at_ms: 1, before_seq: 2, what: Vec::new() };
        assert_eq!(readers.news(None, "a"), None);
        assert_eq!(readers.news(Some(&lost), "a"), Some(lost.clone()));
        assert_eq!(readers.news(Some(&lost), "a"), None);
        assert_eq!(readers.news(Some(&lost), "b"), Some(lost));
    }
}
