//! How a session outlives its daemon: a checkpoint with the keeper, and the journal's tail replayed on top of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

use cotty_vt::Vt;
use serde::{Deserialize, Serialize};

use crate::SessionError;
use crate::commands::Commands;
use crate::durable::journal::disk::{Capture, Capturing};
use crate::durable::journal::{Hot, MOST, Record, Signalled, What, memory};
use crate::handoff::state::Pleas;
use crate::input::unread::Unread;
use crate::keyboard::state::Keyboard;
use crate::output::{Echo, Place, Reader, Spot};
use crate::task::Task;

/// What the keeper holds of a session.
pub(crate) mod slot {
    pub(crate) const MASTER: u8 = 0;
    pub(crate) const JOURNAL: u8 = 1;
    pub(crate) const INPUT: u8 = 2;
    pub(crate) const STATE: u8 = 3;
}

/// What a checkpoint begins with; its version follows in one byte.
const MAGIC: &[u8] = b"cotty-checkpoint";
/// What is written. Fields are found by their names, so one that is added needs no new version; one whose meaning changes
/// does, and then the code that reads the old one stays. `tests/formats` holds a checkpoint of each.
const VERSION: u8 = if cfg!(feature = "next-checkpoint") { 8 } else { 7 };
/// The oldest that is read: the first that was released.
const OLDEST: u8 = 7;

const DAMAGED: &str = "it is damaged";

/// What a daemon writes for the next one, and what it reads of the one before.
pub fn formats() -> Formats {
    Formats {
        checkpoint: Format { writes: VERSION, reads_from: OLDEST },
        engine: Format { writes: Vt::WRITES, reads_from: Vt::READS.0 },
        journal: Format { writes: Hot::VERSION, reads_from: Hot::OLDEST },
    }
}

/// The versions of what one daemon leaves to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// A session's state but for its terminal.
    pub checkpoint: Format,
    /// The state of a terminal.
    pub engine: Format,
    /// The newest output, and what happened beside it.
    pub journal: Format,
}

/// The versions of one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The one that is written; all older ones from `reads_from` on are read.
    pub writes: u8,
    /// The oldest that is read.
    pub reads_from: u8,
}

/// The part of a session that is neither engine nor journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Saved {
    pub(crate) commands: Commands,
    /// Requests that typed, so that a retry types nothing.
    pub(crate) requests: VecDeque<Remembered>,
    /// How many keys and the like of each viewer were typed; the one that typed last is the last.
    pub(crate) viewers: VecDeque<(String, u64)>,
    /// Signals that were sent, for the same reason.
    pub(crate) signals: VecDeque<Signalled>,
    pub(crate) readers: BTreeMap<String, Reader>,
    /// Where readers stood before.
    pub(crate) passed: VecDeque<Place>,
    /// Lines that were typed.
    pub(crate) echoes: VecDeque<Echo>,
    /// The shell's question that it has not gone on from: its id, and the answer where that is kept.
    pub(crate) asked: Option<(String, Option<String>)>,
    pub(crate) keyboard: Keyboard,
    /// Output before anybody typed last.
    pub(crate) typed_seq: Option<u64>,
    /// Output before a person typed last.
    pub(crate) person_typed_at: Option<u64>,
    /// The session's own size, while it follows somebody's window.
    pub(crate) put_back: Option<(u16, u16)>,
    /// Whose window it follows.
    pub(crate) fitted_to: Option<String>,
    pub(crate) capturing: Option<Capturing>,
    /// The last capture, and the request that ended it.
    pub(crate) captured: Option<(String, Capture)>,
    pub(crate) pleas: Pleas,
    /// What a daemon could not take over from the one before it.
    pub(crate) lost: Option<Lost>,
}

impl Saved {
    /// What is still true with an engine that has not seen what this one's had: nothing that names a place in its text.
    fn without_places(self, spot: Spot) -> Saved {
        let requests = self.requests.into_iter().map(|request| Remembered { spot, ..request }).collect();
        Saved {
            requests,
            commands: Commands::default(),
            readers: BTreeMap::new(),
            passed: VecDeque::new(),
            echoes: VecDeque::new(),
            ..self
        }
    }
}

/// What a daemon could not take over from the one before it. The program goes on; history is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// When, in milliseconds since the epoch.
    pub at_ms: u64,
    /// Output before this is in no history.
    pub before_seq: u64,
    /// What, and why: `screen and history: another version of cotty wrote them`.
    pub what: Vec<String>,
}

/// Who has been told of what was lost: a reader is told once by each daemon.
#[derive(Debug, Default)]
pub(crate) struct ToldLost {
    readers: BTreeSet<String>,
}

impl ToldLost {
    /// What a reader is to be told now.
    pub(crate) fn news(&mut self, lost: Option<&Lost>, reader: &str) -> Option<Lost> {
        let lost = lost?;
        self.readers.insert(reader.to_owned()).then(|| lost.clone())
    }
}

/// How much of what the keeper holds a session is rebuilt from. Whoever fails at one goes on with the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rebuild {
    /// The checkpoint, and the journal behind it.
    Whole,
    /// The journal alone, as far back as it goes.
    Journal,
    /// Nothing: an empty screen.
    Nothing,
}

/// A request that typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) request: String,
    /// Output before it.
    pub(crate) seq: u64,
    pub(crate) bytes: u64,
    /// Where the cursor stood.
    pub(crate) spot: Spot,
}

/// A whole state, from which the journal's tail is replayed.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    head: Head,
    saved: Option<Saved>,
    engine: Option<Vt>,
}

/// What a checkpoint begins with; the session's own state follows it, then the engine's.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// Lengths of the output, of the journal's index and of the input queue at that moment.
    output: u64,
    index: u64,
    input: u64,
    /// Bytes of the session's own state.
    saved: u64,
}

impl Checkpoint {
    fn write(head: &Head, saved: &[u8], engine: &[u8]) -> io::Result<OwnedFd> {
        let head = minicbor_serde::to_vec(head).map_err(io::Error::other)?;
        let parts = [MAGIC, &[VERSION], &head, saved, engine];
        let fd = memory("cotty-state", parts.iter().map(|part| part.len() as u64).sum())?;
        let mut at = 0;
        for part in parts {
            write_all(&fd, part, at)?;
            at += part.len();
        }
        Ok(fd)
    }

    /// How much output and index a checkpoint covers, where its counts can be true.
    pub(crate) fn covers(fd: &OwnedFd) -> Option<(u64, u64)> {
        let bytes = read_all(fd).ok()?;
        let (head, _) = Checkpoint::split(&bytes).ok()?;
        (head.output < MOST && head.index < MOST).then_some((head.output, head.index))
    }

    /// Whether it covers no more than the journal holds, and the engine's state is of that moment.
    fn agrees_with(&self, hot: &Hot) -> bool {
        self.head.output <= hot.output_len()
            && self.head.index <= hot.index_len()
            && self.engine.as_ref().is_none_or(|engine| engine.seq() == self.head.output)
    }

    /// Reads what [`Task::checkpoint`] wrote. A part that cannot be read is left out, and `lost` is told why.
    fn read(fd: &OwnedFd, lost: &mut Vec<String>) -> Option<Checkpoint> {
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

    fn split(bytes: &[u8]) -> Result<(Head, &[u8]), &'static str> {
        let (version, body) =
            bytes.strip_prefix(MAGIC).and_then(<[u8]>::split_first).ok_or("it is not a checkpoint")?;
        if !(OLDEST..=VERSION).contains(version) {
            return Err("another version of cotty wrote it");
        }
        let mut decoder = minicbor_serde::Deserializer::new(body);
        let head = Head::deserialize(&mut decoder).map_err(|_| DAMAGED)?;
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

impl Task {
    /// Hands the keeper a state that covers everything so far. Only then may the journal overwrite what it covers.
    pub(crate) async fn checkpoint(&mut self) -> Result<(), SessionError> {
        let (output, index) = (self.vt.seq(), self.hot.index_len());
        let saved = minicbor_serde::to_vec(&self.saved).map_err(io::Error::other)?;
        let head = Head { output, index, input: self.input.end(), saved: saved.len() as u64 };
        let fd = Checkpoint::write(&head, &saved, &self.vt.state())?;
        self.link.put(self.meta.id.as_bytes(), slot::STATE, fd).await?;
        self.hot.checkpointed(output, index);
        Ok(())
    }

    /// Brings a task that was just put together to where the daemon before us stood, and further: to the last byte
    /// that the kernel handed over. Answers whether anything was lost.
    pub(crate) fn replay(&mut self, state: Option<&OwnedFd>, how: Rebuild, mut lost: Vec<String>) -> bool {
        // What of it the shell has read, nobody saw.
        self.unread = Unread::Lines;
        let (output, mut index) = self.hot.covered();
        let checkpoint = match (how, state) {
            (Rebuild::Whole, Some(state)) => Checkpoint::read(state, &mut lost),
            (Rebuild::Whole, None) if output == 0 && index == 0 => None,
            (Rebuild::Whole, None) => {
                lost.push("the checkpoint: the keeper does not have it".to_owned());
                None
            }
            (Rebuild::Journal | Rebuild::Nothing, _) => None,
        };
        let sound = checkpoint.filter(|checkpoint| checkpoint.agrees_with(&self.hot));
        if sound.is_none() && lost.is_empty() && state.is_some() && how == Rebuild::Whole {
            lost.push(format!("the checkpoint: {DAMAGED}"));
        }
        let mut begins = 0;
        let has_engine = match sound {
            Some(Checkpoint { head, saved, engine }) => {
                if !self.input.accept_again(head.input) {
                    lost.push(format!("what was typed and not read yet: its count: {DAMAGED}"));
                }
                index = head.index;
                self.saved = saved.unwrap_or_default();
                engine.map(|engine| self.vt = engine).is_some()
            }
            None => how == Rebuild::Whole && lost.is_empty(),
        };
        if how == Rebuild::Nothing {
            index = self.hot.index_len();
        }
        if !has_engine {
            begins = match how {
                Rebuild::Nothing => self.hot.output_len(),
                Rebuild::Whole | Rebuild::Journal => self.first_line_held(),
            };
            self.begin_at(begins);
        } else if self.vt.seq() < self.hot.oldest() {
            if lost.is_empty() {
                lost.push("some output: the journal that held it was lost".to_owned());
            }
            // What comes next is no end of a sequence, and of no line, that began before the gap.
            let end: &[u8] = if self.vt.modes().alt_screen { b"\x18" } else { b"\x18\r\n" };
            self.vt.count_from(self.hot.oldest().saturating_sub(end.len() as u64));
            self.vt.feed(end);
        }
        // What was answered before the checkpoint is not answered again, though it may be replayed.
        let covered = self.vt.seq().max(output);
        self.hot.checkpointed(covered, index);
        self.input.reconcile();
        self.replay_from(index, covered, &mut lost);
        self.input.reconcile();
        if lost.is_empty() {
            return false;
        }
        tracing::error!(
            session = self.meta.id,
            lost = lost.join("; "),
            "history was lost; the program goes on"
        );
        self.saved.lost = Some(Lost { at_ms: crate::hub::meta::now_ms(), before_seq: begins, what: lost });
        true
    }

    /// An engine that has seen nothing begins here.
    fn begin_at(&mut self, seq: u64) {
        if let Ok(size) = self.pty.get_ref().size()
            && size.cols > 0
            && size.rows > 0
        {
            self.vt.resize(cotty_vt::Size { cols: size.cols, rows: size.rows });
        }
        self.vt.count_from(seq);
        let spot = self.spot(self.vt.position());
        self.saved = std::mem::take(&mut self.saved).without_places(spot);
    }

    /// Where the first whole line begins that the journal still holds.
    fn first_line_held(&self) -> u64 {
        let (oldest, end) = (self.hot.oldest(), self.hot.output_len());
        if oldest == 0 {
            return 0;
        }
        let held = self.hot.output(oldest, end);
        held.iter().position(|&byte| byte == b'\n').map_or(end, |at| oldest + at as u64 + 1)
    }

    fn replay_from(&mut self, index: u64, covered: u64, lost: &mut Vec<String>) {
        let found = self.hot.records(index);
        if found.unreadable > 0 {
            lost.push(format!("{} records of input and reads: they could not be decoded", found.unreadable));
        }
        let found_unreadable = found.unreadable > 0;
        let records: Vec<Record> = found.records.into_iter().map(|(_, record)| record).collect();
        // Whatever was answered before is not answered again; what came after the last answer still is.
        let last = |of: fn(&What) -> bool| records.iter().filter(|r| of(&r.what)).map(|r| r.seq).max();
        self.replied = last(|w| matches!(w, What::Replied { .. })).unwrap_or(covered);
        self.noted = last(|w| matches!(w, What::Marked { .. })).unwrap_or(covered);
        if found_unreadable {
            // What they say was answered is not known; nothing is answered twice.
            (self.replied, self.noted) = (self.hot.output_len(), self.hot.output_len());
        }
        let end = self.hot.output_len();
        let mut times: VecDeque<(u64, u64)> = records
            .iter()
            .filter_map(|r| if let What::Marked { at } = r.what { Some((r.seq, at)) } else { None })
            .collect();
        for record in records {
            self.replay_output(record.seq, &mut times);
            let ms = times.front().map_or_else(crate::hub::meta::now_ms, |&(_, at)| at);
            self.apply(&record.what, ms);
        }
        self.replay_output(end, &mut times);
        if self.vt.modes().synchronized {
            // A frame that was begun before the checkpoint gets its time from now.
            self.half_drawn_since.get_or_insert_with(Instant::now);
        }
    }

    /// Feeds the engine up to `to`, in pieces that end where marks were noted, so that each gets its own time.
    fn replay_output(&mut self, to: u64, times: &mut VecDeque<(u64, u64)>) {
        while self.vt.seq() < to {
            while times.front().is_some_and(|&(seq, _)| seq <= self.vt.seq()) {
                times.pop_front();
            }
            let (upto, ms) = match times.front() {
                Some(&(seq, at)) => (seq.min(to), at),
                None => (to, crate::hub::meta::now_ms()),
            };
            self.process_until(upto, ms);
        }
    }
}

/// The descriptors of a session, as the keeper gave them.
pub(crate) struct Held {
    pub(crate) master: OwnedFd,
    pub(crate) journal: Option<OwnedFd>,
    pub(crate) input: Option<OwnedFd>,
    pub(crate) state: Option<OwnedFd>,
}

impl Held {
    /// Nothing where the keeper has no terminal: then there is no session either.
    pub(crate) fn from_slots(mut slots: HashMap<u8, OwnedFd>) -> Option<Held> {
        Some(Held {
            master: slots.remove(&slot::MASTER)?,
            journal: slots.remove(&slot::JOURNAL),
            input: slots.remove(&slot::INPUT),
            state: slots.remove(&slot::STATE),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use cotty_vt::{LineId, Position};

    use super::*;
    use crate::fixture::fixture;
    use crate::output::Shown;
    use crate::output::told::Answered;

    /// A state with something in every field of it.
    fn saved() -> Saved {
        let position = |line| Position { line: LineId(line), cell: 3 };
        let spot = Spot { position: position(1), before: 5, alt_screen: true };
        let answered = Answered { from: position(2), to: position(3), since: 4, until: 5 };
        let place = Place { seq: 3, spot, answered: vec![answered] };
        let reader = Reader { place: place.clone(), before: Some(place.clone()), request: 6 };
        let (path, shown) = (PathBuf::from("/tmp/captured"), Shown::Perhaps { chars: 7, hash: 8 });
        let program = Some("vi".to_owned());
        Saved {
            commands: Commands::filled(),
            requests: [Remembered { request: "r".into(), seq: 3, bytes: 2, spot }].into(),
            viewers: [("view:1".to_owned(), 17)].into(),
            signals: [Signalled { request: "s".into(), signal: 2, group: 9, program }].into(),
            readers: [("agent".to_owned(), reader)].into(),
            passed: [place].into(),
            echoes: [Echo { seq: 9, position: position(4), lines: 2, shown }].into(),
            asked: Some(("id".into(), Some("allow".into()))),
            keyboard: Keyboard::filled(),
            typed_seq: Some(4),
            person_typed_at: Some(5),
            put_back: Some((80, 24)),
            fitted_to: Some("view:1".into()),
            capturing: Some(Capturing { path: path.clone(), request: "c".into(), since: 6, started_ms: 7 }),
            captured: Some(("d".into(), Capture { file: path, bytes: 8, lost: 9, duration_ms: 10 })),
            pleas: Pleas::filled(),
            lost: Some(Lost { at_ms: 1, before_seq: 2, what: vec!["something".into()] }),
        }
    }

    fn written() -> Vec<u8> {
        let mut vt = Vt::new(cotty_vt::Size { cols: 20, rows: 3 });
        vt.feed(b"one\r\ntwo\r\nthree\r\nfour");
        let saved = minicbor_serde::to_vec(saved()).unwrap();
        let head = Head { output: vt.seq(), index: 70, input: 30, saved: saved.len() as u64 };
        read_all(&Checkpoint::write(&head, &saved, &vt.state()).unwrap()).unwrap()
    }

    #[test]
    fn checkpoints_of_every_version_are_read() {
        for version in OLDEST..=VERSION {
            let newest = (version == VERSION).then_some(&written as &dyn Fn() -> Vec<u8>);
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
            assert_eq!(read.requests, saved().requests, "version {version}");
            // A field with another name is one that is not read. What older versions did not have, they cannot tell.
            if version == VERSION {
                assert_eq!(read, saved());
            }
        }
    }

    #[test]
    fn the_fixture_has_something_in_every_field() {
        let fields = |saved: &Saved| serde_json::to_value(saved).unwrap().as_object().unwrap().clone();
        let empty = fields(&Saved::default());
        for (name, value) in fields(&saved()) {
            assert_ne!(value, empty[&name], "{name}");
        }
    }

    #[test]
    fn a_field_that_is_added_moved_or_gone_changes_nothing_else() {
        let whole = minicbor_serde::to_vec(saved()).unwrap();
        // As another version might have written it: without most fields, in another order, and with one of its own.
        let other = minicbor_serde::to_vec(BTreeMap::from([("typed_seq", 4_u64), ("zz_of_another_time", 1)]))
            .unwrap();
        let read: Saved = minicbor_serde::from_slice(&other).unwrap();
        assert_eq!((read.typed_seq, read.requests.len()), (Some(4), 0));
        assert_eq!(minicbor_serde::from_slice::<Saved>(&whole).unwrap().requests.len(), 1);
    }
}
