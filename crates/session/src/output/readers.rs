//! The readers of a session, and how far each has read. Callers pass the positions; the terminal is not used here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cotty_protocol::op::Images;
use serde::{Deserialize, Serialize};

use super::images::Gallery;
use super::returned::Answered;
use super::screen::Spot;
use crate::durable::checkpoint::Lost;
use crate::input::push_bounded;

/// Most readers remembered; the one that is furthest behind is forgotten first.
const MOST_READERS: usize = 256;

/// How far a reader has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadPosition {
    /// The seq up to which it has read.
    pub(crate) seq: u64,
    pub(crate) spot: Spot,
    /// Later output that is not new to it, because `run` returned it. In order.
    pub(crate) answered: Vec<Answered>,
}

/// A reader, and the request that moved it to `place`: a retry of that request reads from `before`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reader {
    place: ReadPosition,
    before: Option<ReadPosition>,
    #[serde(rename = "request")]
    retry_id: u64,
}

/// The part of [`Readers`] that a checkpoint saves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReadPositions {
    readers: BTreeMap<String, Reader>,
    /// Earlier positions of readers.
    passed: VecDeque<ReadPosition>,
}

/// The readers of a session.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    places: ReadPositions,
    images: Gallery,
    /// The readers that were told what was lost: each daemon tells each reader once.
    loss_reported_to: BTreeSet<String>,
}

impl Readers {
    /// The state that a checkpoint saves.
    pub(crate) fn places(&self) -> &ReadPositions {
        &self.places
    }

    /// Restores the saved state.
    pub(crate) fn restore(&mut self, places: ReadPositions) {
        self.places = places;
    }

    /// Where a reader was before this request; the same for a retry.
    pub(crate) fn before(&self, reader: &str, retry_id: u64) -> Option<ReadPosition> {
        let known = self.places.readers.get(reader)?;
        if known.retry_id == retry_id { known.before.clone() } else { Some(known.place.clone()) }
    }

    /// Notes that a reader has read up to `place`.
    pub(crate) fn read(&mut self, reader: &str, place: ReadPosition, retry_id: u64) {
        let before = self.put(reader, place, retry_id);
        let before = before.map(|before| ReadPosition { answered: Vec::new(), ..before });
        if let Some(before) = before.filter(|before| !self.places.passed.contains(before)) {
            // A client may page through the text from there.
            push_bounded(&mut self.places.passed, before);
        }
    }

    /// Moves a reader to `place`; returns where it was before.
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

    /// Where the cursor was at `seq`, if a reader stopped there.
    pub(crate) fn spot_at(&self, seq: u64) -> Option<Spot> {
        let here = self.places.readers.values().map(|known| &known.place);
        here.chain(&self.places.passed).find(|place| place.seq == seq).map(|place| place.spot)
    }

    /// Notes an image that the program sent.
    pub(crate) fn image(&mut self, seq: u64, kind: cotty_vt::ImageKind, bytes: u64) {
        self.images.add(seq, kind, bytes);
    }

    /// The images after `since`, up to `until`.
    pub(crate) fn images(&self, since: u64, until: u64) -> Vec<Images> {
        self.images.between(since, until)
    }

    /// What was lost, if this reader was not told yet.
    pub(crate) fn unreported_loss(&mut self, lost: Option<&Lost>, reader: &str) -> Option<Lost> {
        let lost = lost?;
        self.loss_reported_to.insert(reader.to_owned()).then(|| lost.clone())
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
    fn a_retry_reads_from_the_same_position() {
        let mut readers = Readers::default();
        assert_eq!(readers.before("a", 1), None);
        readers.read("a", place(10), 1);
        assert_eq!(readers.before("a", 1), None, "the reader had read nothing");
        assert_eq!(readers.before("a", 2), Some(place(10)));
        readers.read("a", place(20), 2);
        assert_eq!(readers.before("a", 2), Some(place(10)));
        assert_eq!(readers.before("a", 3), Some(place(20)));
        assert_eq!(readers.before("b", 3), None, "each reader has its own position");
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
        assert_eq!(readers.unreported_loss(None, "a"), None);
        assert_eq!(readers.unreported_loss(Some(&lost), "a"), Some(lost.clone()));
        assert_eq!(readers.unreported_loss(Some(&lost), "a"), None);
        assert_eq!(readers.unreported_loss(Some(&lost), "b"), Some(lost));
    }
}
