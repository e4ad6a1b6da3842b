//! A checkpoint: the whole state of a session, which the keeper holds. Later output is replayed from the journal.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;

use cotty_vt::Vt;
use serde::{Deserialize, Serialize};

use super::journal::{LiveJournal, MOST, memory};
use super::recording::Captures;
use crate::commands::Commands;
use crate::handoff::state::HandoffRequests;
use crate::input::TypedState;
use crate::keyboard::fit::Fit;
use crate::keyboard::state::Keyboard;
use crate::output::readers::ReadPositions;
use crate::output::screen::Spot;
use crate::shell::gate::OpenQuestion;

/// The slots of a session's descriptors in the keeper.
pub(crate) mod slot {
    pub(crate) const MASTER: u8 = 0;
    pub(crate) const JOURNAL: u8 = 1;
    pub(crate) const INPUT: u8 = 2;
    pub(crate) const STATE: u8 = 3;
}

/// The first bytes of a checkpoint; one byte with the version follows.
const MAGIC: &[u8] = b"cotty-checkpoint";
/// The version that is written. Fields are found by name, so an added field needs no new version. A field whose meaning
/// changes does, and then the code that reads the old version stays. `tests/formats` holds a checkpoint of each version.
///
/// It is the last byte of this text, which `tools/next-version` finds in the binary: so the tests get a cotty that writes the
/// next version, without building another.
static VERSION: [u8; 26] = *b"cotty checkpoint version \x07";

/// The oldest version that is read: the first that was released.
const OLDEST: u8 = 7;

fn written_version() -> u8 {
    // Not known to the compiler.
    std::hint::black_box(&VERSION)[VERSION.len() - 1]
}

pub(crate) const DAMAGED: &str = "it is damaged";

/// The format versions that this daemon writes and reads.
pub fn formats() -> Formats {
    Formats {
        checkpoint: Format { writes: written_version(), reads_from: OLDEST },
        engine: Format { writes: Vt::WRITES, reads_from: Vt::READS.0 },
        journal: Format { writes: LiveJournal::VERSION, reads_from: LiveJournal::OLDEST },
    }
}

/// The versions of the formats that one daemon leaves to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// A session's state without its terminal.
    pub checkpoint: Format,
    /// The state of a terminal.
    pub engine: Format,
    /// The newest output, and the records of other events.
    pub journal: Format,
}

/// The versions of one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The version that is written. All versions from `reads_from` up to it are read.
    pub writes: u8,
    /// The oldest version that is read.
    pub reads_from: u8,
}

/// The part of a session's state that is neither engine nor journal: what each part of its task saves, by field name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Saved<'a> {
    pub(crate) commands: Cow<'a, Commands>,
    #[serde(flatten)]
    pub(crate) typed: Cow<'a, TypedState>,
    #[serde(flatten)]
    pub(crate) readers: Cow<'a, ReadPositions>,
    pub(crate) asked: Cow<'a, OpenQuestion>,
    pub(crate) keyboard: Cow<'a, Keyboard>,
    #[serde(flatten)]
    pub(crate) fit: Cow<'a, Fit>,
    #[serde(flatten)]
    pub(crate) captures: Cow<'a, Captures>,
    #[serde(rename = "pleas")]
    pub(crate) requests: Cow<'a, HandoffRequests>,
    /// What a daemon could not take over from the one before it.
    pub(crate) lost: Cow<'a, Option<Lost>>,
}

impl Saved<'_> {
    /// Without everything that refers to a position in the text, for an engine that does not have that text.
    pub(crate) fn without_places(mut self, spot: Spot) -> Self {
        self.typed.to_mut().forget_places(spot);
        self.commands = Cow::default();
        self.readers = Cow::default();
        self
    }
}

/// What a daemon could not take over from the one before it. The program still runs; history is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// When, in milliseconds since the epoch.
    pub at_ms: u64,
    /// Output before this seq is not in the history.
    pub before_seq: u64,
    /// What is lost, and why: `screen and history: another version of cotty wrote them`.
    pub what: Vec<String>,
}

/// From how much of the keeper's state a session is rebuilt. If one way fails, the next is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rebuild {
    /// From the checkpoint and the journal after it.
    Whole,
    /// From the journal alone, as far back as it goes.
    Journal,
    /// From nothing: an empty screen.
    Nothing,
}

/// A whole state, after which the rest of the journal is replayed.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) head: CheckpointHead,
    pub(crate) saved: Option<Saved<'static>>,
    pub(crate) engine: Option<Vt>,
}

/// The start of a checkpoint. The session's own state follows, then the engine's.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CheckpointHead {
    /// The lengths of the output, the journal's index and the input queue at that moment.
    pub(crate) output: u64,
    pub(crate) index: u64,
    pub(crate) input: u64,
    /// The length of the session's own state.
    saved: u64,
}

impl Checkpoint {
    /// Writes a checkpoint: how much output, index and input it covers, the saved state, and the engine's state.
    pub(crate) fn write(
        (output, index, input): (u64, u64, u64),
        saved: &Saved<'_>,
        engine: &[u8],
    ) -> io::Result<OwnedFd> {
        let saved = minicbor_serde::to_vec(saved).map_err(io::Error::other)?;
        let head = CheckpointHead { output, index, input, saved: saved.len() as u64 };
        let head = minicbor_serde::to_vec(head).map_err(io::Error::other)?;
        let parts = [MAGIC, &[written_version()], &head, &saved, engine];
        let fd = memory("cotty-state", parts.iter().map(|part| part.len() as u64).sum())?;
        let mut at = 0;
        for part in parts {
            write_all(&fd, part, at)?;
            at += part.len();
        }
        Ok(fd)
    }

    /// How much output and index a checkpoint covers; `None` if it cannot be read or its counts are impossible.
    pub(crate) fn covers(fd: &OwnedFd) -> Option<(u64, u64)> {
        let bytes = read_all(fd).ok()?;
        let (head, _) = Checkpoint::split(&bytes).ok()?;
        (head.output < MOST && head.index < MOST).then_some((head.output, head.index))
    }

    /// Whether it covers no more than the journal has, and the engine's state is of the same moment.
    pub(crate) fn agrees_with(&self, live: &LiveJournal) -> bool {
        self.head.output <= live.output_len()
            && self.head.index <= live.index_len()
            && self.engine.as_ref().is_none_or(|engine| engine.seq() == self.head.output)
    }

    /// Reads a checkpoint. A part that cannot be read is left out, and the reason is added to `lost`.
    pub(crate) fn read(fd: &OwnedFd, lost: &mut Vec<String>) -> Option<Checkpoint> {
        let bytes = read_all(fd).inspect_err(|e| lost.push(format!("the checkpoint: {e}"))).ok()?;
        let checkpoint = Checkpoint::parse(&bytes, lost);
        if let Err(reason) = &checkpoint {
            lost.push(format!("the checkpoint: {reason}"));
        }
        checkpoint.ok()
    }

    fn parse(bytes: &[u8], lost: &mut Vec<String>) -> Result<Checkpoint, &'static str> {
        let (head, rest) = Checkpoint::split(bytes)?;
        let len = usize::try_from(head.saved).map_err(|_| DAMAGED)?;
        let (saved, engine) = rest.split_at_checked(len).ok_or(DAMAGED)?;
        let saved = minicbor_serde::from_slice(saved);
        let saved = saved.inspect_err(|e| lost.push(format!("commands, readers and requests: {e}"))).ok();
        let engine = Vt::restore(engine);
        let engine = engine.inspect_err(|e| lost.push(format!("screen and history: {e}"))).ok();
        Ok(Checkpoint { head, saved, engine })
    }

    fn split(bytes: &[u8]) -> Result<(CheckpointHead, &[u8]), &'static str> {
        let (version, body) =
            bytes.strip_prefix(MAGIC).and_then(<[u8]>::split_first).ok_or("it is not a checkpoint")?;
        if !(OLDEST..=written_version()).contains(version) {
            return Err("another version of cotty wrote it");
        }
        let mut decoder = minicbor_serde::Deserializer::new(body);
        let head = CheckpointHead::deserialize(&mut decoder).map_err(|_| DAMAGED)?;
        Ok((head, &body[decoder.decoder().position()..]))
    }
}

fn read_all(fd: &OwnedFd) -> io::Result<Vec<u8>> {
    let len = rustix::fs::fstat(fd)?.st_size;
    let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
    let mut got = 0;
    while got < bytes.len() {
        match rustix::io::pread(fd, &mut bytes[got..], got as u64)? {
            0 => break,
            count => got += count,
        }
    }
    bytes.truncate(got);
    Ok(bytes)
}

fn write_all(fd: &OwnedFd, bytes: &[u8], from: usize) -> io::Result<()> {
    let mut sent = 0;
    while sent < bytes.len() {
        sent += rustix::io::pwrite(fd, &bytes[sent..], (from + sent) as u64)?;
    }
    Ok(())
}

/// The descriptors of a session, as the keeper gave them.
pub(crate) struct HeldDescriptors {
    pub(crate) master: OwnedFd,
    pub(crate) journal: Option<OwnedFd>,
    pub(crate) input: Option<OwnedFd>,
    pub(crate) state: Option<OwnedFd>,
}

impl HeldDescriptors {
    /// `None` if the keeper has no terminal: then the session cannot be served.
    pub(crate) fn from_slots(mut slots: HashMap<u8, OwnedFd>) -> Option<HeldDescriptors> {
        Some(HeldDescriptors {
            master: slots.remove(&slot::MASTER)?,
            journal: slots.remove(&slot::JOURNAL),
            input: slots.remove(&slot::INPUT),
            state: slots.remove(&slot::STATE),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cotty_vt::{LineId, Position};

    use super::*;
    use crate::fixture::fixture;
    use crate::input::typed::TypedLines;

    /// A state with a value in every field.
    fn saved() -> Saved<'static> {
        let position = Position { line: LineId(1), cell: 3 };
        let spot = Spot { position, before: 5, alt_screen: true };
        Saved {
            commands: Cow::Owned(Commands::filled()),
            typed: Cow::Owned(TypedState::filled(spot)),
            readers: Cow::Owned(ReadPositions::filled(spot)),
            asked: Cow::Owned(Some(("id".into(), Some("allow".into())))),
            keyboard: Cow::Owned(Keyboard::filled()),
            fit: Cow::Owned(Fit::filled()),
            captures: Cow::Owned(Captures::filled()),
            requests: Cow::Owned(HandoffRequests::filled()),
            lost: Cow::Owned(Some(Lost { at_ms: 1, before_seq: 2, what: vec!["something".into()] })),
        }
    }

    fn written() -> Vec<u8> {
        let mut vt = Vt::new(cotty_vt::Size { cols: 20, rows: 3 });
        vt.feed(b"one\r\ntwo\r\nthree\r\nfour");
        read_all(&Checkpoint::write((vt.seq(), 70, 30), &saved(), &vt.state()).unwrap()).unwrap()
    }

    #[test]
    fn checkpoints_of_every_version_are_read() {
        for version in OLDEST..=written_version() {
            let newest = (version == written_version()).then_some(&written as &dyn Fn() -> Vec<u8>);
            let bytes = fixture("checkpoint", u32::from(version), newest);
            let mut lost = Vec::new();
            let read = Checkpoint::parse(&bytes, &mut lost).unwrap();
            assert_eq!(lost, [""; 0], "version {version}");
            assert_eq!((read.head.index, read.head.input), (70, 30));
            let engine = read.engine.unwrap();
            assert_eq!(
                (engine.screen_text().trim_end(), engine.seq()),
                ("two\nthree\nfour", read.head.output)
            );
            let read = read.saved.unwrap();
            assert_eq!(read.typed, saved().typed, "version {version}");
            // A renamed field would not be read. Older versions lack the newer fields.
            if version == written_version() {
                assert_eq!(read, saved());
            }
        }
    }

    #[test]
    fn the_fixture_has_a_value_in_every_field() {
        let fields = |saved: &Saved| serde_json::to_value(saved).unwrap().as_object().unwrap().clone();
        let empty = fields(&Saved::default());
        for (name, value) in fields(&saved()) {
            assert_ne!(value, empty[&name], "{name}");
        }
    }

    #[test]
    fn an_added_moved_or_missing_field_does_not_affect_the_others() {
        let whole = minicbor_serde::to_vec(saved()).unwrap();
        // As another version might have written it: most fields missing, another order, and a field that is unknown here.
        let other = minicbor_serde::to_vec(BTreeMap::from([("typed_seq", 4_u64), ("zz_of_another_time", 1)]))
            .unwrap();
        let read: Saved = minicbor_serde::from_slice(&other).unwrap();
        let mut typed = TypedLines::default();
        typed.typed(4, false);
        assert_eq!(read, Saved { typed: Cow::Owned(TypedState::of(typed)), ..Saved::default() });
        assert_eq!(minicbor_serde::from_slice::<Saved>(&whole).unwrap(), saved());
    }
}
