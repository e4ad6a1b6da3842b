//! The live journal of a session: memory that the keeper holds, so that a SIGKILL of the daemon loses nothing.
//!
//! The kernel reads output straight into a ring; the daemon stores the new length afterwards. If the daemon is killed
//! between the two, the fill pattern [`ahead`] of the output shows how much was read. All other events (input, sizes, times
//! of marks) are [`Record`]s in an index, which is a second ring. A checkpoint is a whole state after which the rest of
//! both rings is replayed. It has to be taken before a ring overwrites what came after the last checkpoint.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::ahead;
use super::disk::{Capture, Capturing};
use super::mapping::{Cells, Ring, memory};
use crate::clock;
use crate::counts::BYTES_READ;
use crate::handoff::state::{HandoffEnd, HandoffRequest};
use crate::hub::meta::Typist;
use crate::input::interrupt::Dropped;
use crate::input::typed::EchoedBy;
use crate::shell::ERASED;

/// The most bytes of one read. Also how far ahead the ring is filled, which costs memory even in an idle session.
pub(crate) const READ: usize = 16 * 1024;
/// The size of the output ring. A checkpoint is due each time this much is written.
const OUTPUT: usize = 2 << 20;
/// The size of the index ring. Pages that were never written cost nothing.
const INDEX: usize = 256 * 1024;
const HEADER: usize = 4096;
/// The offset of the copy of the session's metadata in the header, after its length. The space before it is for more cells.
const DESCRIPTION: usize = 1024;
/// A mark's nonce is within this many bytes before its end.
const MARK_TAIL: u64 = 128;
/// The last two digits are the version. A record's fields and kinds are found by name, so an added one needs no new
/// version; `tests/formats` holds a journal of each version.
const MAGIC: u64 = u64::from_le_bytes(*b"cottyJ03");
/// The first bytes of the magic of every version.
const FAMILY: &[u8] = b"cottyJ";

/// A count of output, records or input that no session reaches.
pub(crate) const MOST: u64 = 1 << 62;

const CELL_MAGIC: usize = 0;
/// The same cell in every version: a daemon that cannot read the rest continues the count from here.
const CELL_OUTPUT: usize = 1;
const CELL_INDEX: usize = 2;
/// How much the last checkpoint covers.
const CELL_COVERED_OUTPUT: usize = 3;
const CELL_COVERED_INDEX: usize = 4;
/// Where output and index begin, in a journal that replaced a lost one.
const CELL_FIRST_OUTPUT: usize = 5;
const CELL_FIRST_INDEX: usize = 6;
/// Up to where output and index may be overwritten although no checkpoint covers them, because none could be stored.
const CELL_PASSED_OUTPUT: usize = 7;
const CELL_PASSED_INDEX: usize = 8;
/// The offset of the clock in which times of records count.
const CELL_CLOCK: usize = 9;

/// An event at a position in the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The seq at that moment.
    pub(crate) seq: u64,
    pub(crate) what: RecordKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RecordKind {
    /// Input was accepted: the queue up to `to` will reach the program exactly once.
    Typed {
        source: Source,
        bytes: u64,
        to: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        lines: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        shown: EchoedBy,
        #[serde(default, skip_serializing_if = "is_default")]
        run: bool,
        by: Typist,
        at: u64,
        /// Whether a recording may contain the text.
        #[serde(default, skip_serializing_if = "is_default")]
        recorded: bool,
        /// The input before it that it removed, as an interrupt.
        #[serde(default, skip_serializing_if = "is_default")]
        dropped: Dropped,
    },
    /// A request signals the program in the foreground.
    Signalled(Signalled),
    /// The program's queries up to here were answered; the answers end at `to` in the queue.
    Replied { to: u64 },
    /// The marks up to here were processed at this time (milliseconds since the epoch).
    Marked {
        at: u64,
        /// Where the marks end that had the nonce, which is erased from the output afterwards.
        #[serde(default, skip_serializing_if = "is_default")]
        genuine: Vec<u64>,
        /// Whether a job of the shell had the foreground.
        #[serde(default, skip_serializing_if = "is_default")]
        job: bool,
    },
    /// The terminal has a new size; `put_back` is the size to restore later.
    Resized { cols: u16, rows: u16, put_back: Option<(u16, u16)> },
    /// The keyboard changed hands at this time, not by typing.
    Keyboard { change: KeyboardChange, at: u64 },
    /// This many lines of history are kept from now on.
    History { lines: usize },
    /// A reader has read up to `shown`, by a request with this hash.
    Read {
        reader: String,
        shown: u64,
        #[serde(rename = "request")]
        retry_id: u64,
    },
    /// A capture started.
    CaptureBegan(Capturing),
    /// The capture ended, with this answer to the request that ended it.
    CaptureEnded {
        #[serde(rename = "request")]
        retry_id: String,
        capture: Capture,
    },
    /// A hand-off request was made or ended.
    #[serde(rename = "Plea")]
    Handoff(HandoffChange),
    /// A `run`, by its retry id, has returned the output of its command to a reader.
    Answered { reader: String, run: String },
}

/// Where input comes from, so that it is typed once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// A call, by its retry id.
    Request(String),
    /// A viewer's keys, mouse and pastes, by their number.
    Viewer(u64),
}

/// A signal that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signalled {
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
    pub(crate) signal: i32,
    /// The process group that got the signal, and its program.
    pub(crate) group: u32,
    pub(crate) program: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A change of a hand-off request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum HandoffChange {
    Made(HandoffRequest),
    Ended(HandoffEnd),
}

/// How the keyboard changes hands without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyboardChange {
    /// Taken; held for this long after the last key, or until it is given back.
    Took {
        who: String,
        name: String,
        lease_ms: Option<u64>,
    },
    Gave {
        who: String,
    },
    /// A viewer disconnected, or connected.
    Vanished {
        who: String,
    },
    Came {
        who: String,
    },
    Expired,
    /// Released because its holder disconnected.
    Left {
        who: String,
    },
}

/// The records of the index.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// Each with the position where it ends.
    pub(crate) records: Vec<(u64, Record)>,
    /// How many records this version cannot read.
    pub(crate) unreadable: usize,
}

/// The live journal of one session.
#[derive(Debug)]
pub(crate) struct LiveJournal {
    cells: Cells,
    output: Ring,
    index: Ring,
    /// The lengths of output and index at the last checkpoint.
    checkpoint: (u64, u64),
    /// Up to where both may be overwritten: at least as far as the checkpoint.
    passed: (u64, u64),
    /// Up to where the fill pattern is written.
    filled: u64,
}

impl LiveJournal {
    /// The version that is written, and the oldest that is read.
    pub(crate) const VERSION: u8 = 3;
    pub(crate) const OLDEST: u8 = 3;

    /// Memory for a new session, and the descriptor for the keeper.
    pub(crate) fn create() -> io::Result<(LiveJournal, OwnedFd)> {
        let fd = memory("cotty-journal", (HEADER + INDEX + OUTPUT) as u64)?;
        let mut live = LiveJournal::open(&fd)?;
        live.cells.store(CELL_MAGIC, MAGIC);
        live.cells.store(CELL_CLOCK, clock::offset());
        live.fill_ahead(0);
        Ok((live, fd))
    }

    /// The journal of a session that another daemon served. It includes output that the kernel handed over before that
    /// daemon could store the length.
    pub(crate) fn adopt(fd: &OwnedFd) -> io::Result<LiveJournal> {
        let refused = |reason| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        let len = rustix::fs::fstat(fd)?.st_size;
        if len < HEADER as i64 {
            return refused("it is too short");
        }
        match Cells::map(fd, 0)?.load(CELL_MAGIC) {
            MAGIC => {}
            magic if magic.to_le_bytes().starts_with(FAMILY) => {
                return refused("another version of cotty wrote it");
            }
            _ => return refused("it is damaged"),
        }
        if len < (HEADER + INDEX + OUTPUT) as i64 {
            return refused("it is too short");
        }
        let mut live = LiveJournal::open(fd)?;
        if !live.is_sound() {
            return refused("it is damaged");
        }
        clock::continue_from(live.cells.load(CELL_CLOCK));
        live.cells.store(CELL_CLOCK, clock::offset());
        let stored = live.output_len();
        let ahead = live.output.slice(stored, stored + READ as u64);
        let len = stored + ahead::VARIED.written(stored, ahead) as u64;
        live.filled = stored + READ as u64;
        live.fill_ahead(len);
        live.cells.store(CELL_OUTPUT, len);
        Ok(live)
    }

    /// Whether its counts are possible: the part that the checkpoint does not cover fits into the rings.
    fn is_sound(&self) -> bool {
        let sound = |first: usize, covered: u64, passed: u64, len: u64, ring: &Ring| {
            let held = self.cells.load(first)..=len;
            len < MOST
                && held.contains(&covered)
                && held.contains(&passed)
                && len - passed <= ring.len() as u64
        };
        let ((output, index), passed) = (self.checkpoint, self.passed);
        sound(CELL_FIRST_OUTPUT, output, passed.0, self.output_len(), &self.output)
            && sound(CELL_FIRST_INDEX, index, passed.1, self.index_len(), &self.index)
    }

    /// The length of the output, even of a journal that this version cannot read.
    pub(crate) fn output_len_of(fd: &OwnedFd) -> Option<u64> {
        let is_large_enough = rustix::fs::fstat(fd).is_ok_and(|stat| stat.st_size >= HEADER as i64);
        let cells = is_large_enough.then(|| Cells::map(fd, 0).ok())??;
        let is_ours = cells.load(CELL_MAGIC).to_le_bytes().starts_with(FAMILY);
        is_ours.then(|| cells.load(CELL_OUTPUT)).filter(|&len| len < MOST)
    }

    /// Puts a copy of the session's metadata into a new journal; `false` if it does not fit.
    pub(crate) fn describe(fd: &OwnedFd, description: &[u8]) -> io::Result<bool> {
        let len = u32::try_from(description.len()).map_err(io::Error::other)?;
        let bytes = [&len.to_le_bytes(), description].concat();
        if DESCRIPTION + bytes.len() > HEADER {
            return Ok(false);
        }
        rustix::io::pwrite(fd, &bytes, DESCRIPTION as u64)?;
        Ok(true)
    }

    /// The copy of the session's metadata, even of a journal that this version cannot read.
    pub(crate) fn description(fd: &OwnedFd) -> Option<Vec<u8>> {
        let mut bytes = [0; HEADER - DESCRIPTION];
        let got = rustix::io::pread(fd, &mut bytes, DESCRIPTION as u64).ok()?;
        let (len, rest) = bytes[..got].split_first_chunk()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        rest.get(..len).filter(|copy| !copy.is_empty()).map(<[u8]>::to_vec)
    }

    /// Makes this journal replace an unreadable one: its counts continue from here.
    pub(crate) fn count_from(&mut self, output: u64, index: u64) {
        self.cells.store(CELL_FIRST_OUTPUT, output);
        self.cells.store(CELL_FIRST_INDEX, index);
        self.cells.store(CELL_INDEX, index);
        self.filled = 0;
        self.fill_ahead(output);
        self.cells.store(CELL_OUTPUT, output);
        self.checkpointed(output, index);
    }

    /// How much output and index the last checkpoint covers.
    pub(crate) fn covered(&self) -> (u64, u64) {
        self.checkpoint
    }

    fn open(fd: &OwnedFd) -> io::Result<LiveJournal> {
        let cells = Cells::map(fd, 0)?;
        let checkpoint = (cells.load(CELL_COVERED_OUTPUT), cells.load(CELL_COVERED_INDEX));
        let passed = (cells.load(CELL_PASSED_OUTPUT), cells.load(CELL_PASSED_INDEX));
        Ok(LiveJournal {
            checkpoint,
            passed: (checkpoint.0.max(passed.0), checkpoint.1.max(passed.1)),
            cells,
            index: Ring::map(fd, HEADER as u64, INDEX)?,
            output: Ring::map(fd, (HEADER + INDEX) as u64, OUTPUT)?,
            filled: 0,
        })
    }

    /// The length of the output.
    pub(crate) fn output_len(&self) -> u64 {
        self.cells.load(CELL_OUTPUT)
    }

    /// The length of the index.
    pub(crate) fn index_len(&self) -> u64 {
        self.cells.load(CELL_INDEX)
    }

    /// Reads once from `source` into the ring; returns the number of bytes. 0 is the end of the file.
    pub(crate) fn read_from(&mut self, source: impl AsFd) -> Result<usize, Errno> {
        let len = self.output_len();
        let count = rustix::io::read(source, self.output.slice_mut(len, len + READ as u64))?;
        // Fill first: as soon as the new length is stored, the pattern must follow it.
        self.fill_ahead(len + count as u64);
        self.cells.store(CELL_OUTPUT, len + count as u64);
        BYTES_READ.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    /// The position of the oldest output that the ring holds.
    pub(crate) fn oldest(&self) -> u64 {
        // The area ahead of the end is the oldest part of the ring.
        self.output_len().saturating_sub((OUTPUT - READ) as u64).max(self.cells.load(CELL_FIRST_OUTPUT))
    }

    /// A range of the output that the ring holds.
    pub(crate) fn output(&self, from: u64, to: u64) -> &[u8] {
        self.output.slice(from, to)
    }

    /// Erases the nonce of a mark that ends at `end`.
    pub(crate) fn erase_nonce(&mut self, end: u64, nonce: &str) {
        let from = end.saturating_sub(MARK_TAIL).max(self.oldest());
        if from >= end || end > self.output_len() || nonce.is_empty() {
            return;
        }
        let tail = self.output.slice_mut(from, end);
        if let Some(at) = tail.windows(nonce.len()).rposition(|part| part == nonce.as_bytes()) {
            tail[at..at + nonce.len()].fill(ERASED);
        }
    }

    /// Whether the next read or record might overwrite data that no checkpoint covers.
    pub(crate) fn wants_checkpoint(&self) -> bool {
        let output = self.output_len() - self.passed.0;
        let index = self.index_len() - self.passed.1;
        output as usize + 2 * READ > self.output.len() || index as usize + INDEX / 4 > self.index.len()
    }

    /// Notes that the keeper has a checkpoint that covers this much.
    pub(crate) fn checkpointed(&mut self, output: u64, index: u64) {
        self.checkpoint = (output, index);
        self.passed = (output, index);
        self.cells.store(CELL_COVERED_OUTPUT, output);
        self.cells.store(CELL_COVERED_INDEX, index);
    }

    /// Goes on although no checkpoint could be stored: the oldest part will be overwritten. The next checkpoint is due after an
    /// eighth of the ring.
    pub(crate) fn pass_without_checkpoint(&mut self) {
        let output = self.output_len().saturating_sub((OUTPUT - OUTPUT / 8 - 2 * READ) as u64);
        self.passed = (self.passed.0.max(output), self.index_len());
        self.cells.store(CELL_PASSED_OUTPUT, self.passed.0);
        self.cells.store(CELL_PASSED_INDEX, self.passed.1);
    }

    /// The position of the first record at or after `from` that is surely held: `from`, or where the index may be overwritten up to.
    pub(crate) fn first_record(&self, from: u64) -> u64 {
        let held = self.index_len().saturating_sub(from) <= self.index.len() as u64;
        if held { from } else { self.passed.1.max(from) }
    }

    /// Writes a record. It survives the death of the daemon.
    pub(crate) fn record(&mut self, record: &Record) -> io::Result<()> {
        let body = minicbor_serde::to_vec(record).map_err(io::Error::other)?;
        let from = self.index_len();
        let to = from + 4 + body.len() as u64;
        if to - self.passed.1 > self.index.len() as u64 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the journal's index is full"));
        }
        let len = u32::try_from(body.len()).map_err(io::Error::other)?;
        let space = self.index.slice_mut(from, to);
        space[..4].copy_from_slice(&len.to_le_bytes());
        space[4..].copy_from_slice(&body);
        self.cells.store(CELL_INDEX, to);
        Ok(())
    }

    /// The records from an index position on. None if some of them are overwritten.
    pub(crate) fn records(&self, from: u64) -> Records {
        let mut from = from.max(self.cells.load(CELL_FIRST_INDEX));
        let mut found = Records::default();
        if self.index_len().saturating_sub(from) > self.index.len() as u64 {
            return found;
        }
        while from + 4 <= self.index_len() {
            let head = self.index.slice(from, from + 4);
            let len = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
            if from + 4 + len > self.index_len() {
                found.unreadable += 1;
                break;
            }
            // Skip a kind that only a newer version knows, and read the records after it.
            match minicbor_serde::from_slice(self.index.slice(from + 4, from + 4 + len)) {
                Ok(record) => found.records.push((from + 4 + len, record)),
                Err(_) => found.unreadable += 1,
            }
            from += 4 + len;
        }
        found
    }

    /// The ranges of the input since the last checkpoint that a recording may contain.
    pub(crate) fn recorded_input(&self) -> impl Iterator<Item = (u64, u64)> {
        let records = self.records(self.checkpoint.1).records.into_iter();
        records.filter_map(|(_, record)| match record.what {
            RecordKind::Typed { bytes, to, recorded: true, .. } => Some((to.saturating_sub(bytes), to)),
            _ => None,
        })
    }

    fn fill_ahead(&mut self, len: u64) {
        let (from, to) = (self.filled.max(len), len + READ as u64);
        if from < to {
            ahead::VARIED.fill(from, self.output.slice_mut(from, to));
            self.filled = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::fixture;
    use std::fs::File;
    use std::io::{Read, Write};

    fn pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
        std::io::pipe().unwrap()
    }

    fn typed(seq: u64, to: u64) -> Record {
        Record {
            seq,
            what: RecordKind::Typed {
                source: Source::Request("r".into()),
                bytes: 1,
                to,
                lines: 0,
                shown: EchoedBy::Surely,
                run: false,
                by: Typist { kind: crate::ActorKind::Agent, who: "a".into(), name: "a".into() },
                at: 0,
                recorded: true,
                dropped: Dropped::default(),
            },
        }
    }

    #[test]
    fn output_survives_a_daemon_that_died_before_it_stored_the_length() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        let (reader, mut writer) = pipe();
        writer.write_all(b"one ").unwrap();
        live.read_from(&reader).unwrap();
        // The kernel has written the bytes, the daemon has not stored the length.
        let len = live.output_len();
        live.output.slice_mut(len, len + 3).copy_from_slice(b"two");
        drop(live);
        let live = LiveJournal::adopt(&fd).unwrap();
        assert_eq!(String::from_utf8_lossy(live.output(0, live.output_len())), "one two");
    }

    #[test]
    fn output_that_ends_in_a_long_run_of_any_byte_loses_at_most_four_bytes() {
        for byte in 0..=0xFF_u8 {
            let (mut live, fd) = LiveJournal::create().unwrap();
            let (reader, mut writer) = pipe();
            writer.write_all(&vec![b'x'; 1000 + usize::from(byte)]).unwrap();
            live.read_from(&reader).unwrap();
            let len = live.output_len();
            live.output.slice_mut(len, len + 5000).fill(byte);
            drop(live);
            let live = LiveJournal::adopt(&fd).unwrap();
            let lost = (len + 5000) - live.output_len();
            let text = !ahead::NEVER_TEXT.contains(&byte);
            assert!(lost == 0 || !text && lost <= 4, "{byte:#x}: {lost} of 5000 bytes lost");
        }
    }

    #[test]
    fn the_ring_keeps_the_newest_output_when_it_wraps() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        let (reader, mut writer) = pipe();
        let mut expected: Vec<u8> = Vec::new();
        let mut line = 0;
        while expected.len() < OUTPUT + OUTPUT / 2 {
            let text = format!("line {line}\n");
            writer.write_all(text.as_bytes()).unwrap();
            expected.extend(text.as_bytes());
            live.read_from(&reader).unwrap();
            if live.wants_checkpoint() {
                live.checkpointed(live.output_len(), live.index_len());
            }
            line += 1;
        }
        let live = LiveJournal::adopt(&fd).unwrap();
        let len = live.output_len();
        assert_eq!(len as usize, expected.len());
        let held = 1 << 20;
        assert!(*live.output(len - held, len) == expected[expected.len() - held as usize..]);
    }

    #[test]
    fn records_are_read_back_and_a_full_index_refuses_more() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        let mut n = 0;
        while live.record(&typed(n, n)).is_ok() {
            n += 1;
        }
        assert!(n > 1000 && live.wants_checkpoint());
        let live = LiveJournal::adopt(&fd).unwrap();
        let found = live.records(0);
        assert_eq!((found.records.len() as u64, found.unreadable), (n, 0));
        assert_eq!(found.records.last().map(|(_, record)| record), Some(&typed(n - 1, n - 1)));
    }

    /// One record of each kind.
    fn every_kind() -> Vec<RecordKind> {
        let (who, path) = (|| "view:1".to_owned(), || "/tmp/captured".into());
        let keyboard = |change| RecordKind::Keyboard { change, at: 6 };
        let Record { what: typed, .. } = typed(1, 1);
        let by = Typist { kind: crate::ActorKind::Person, who: who(), name: "attach".into() };
        let shown = EchoedBy::perhaps(b"line");
        let source = Source::Viewer(7);
        vec![
            typed,
            RecordKind::Typed {
                source,
                bytes: 2,
                to: 3,
                lines: 1,
                shown,
                run: true,
                by,
                at: 5,
                recorded: false,
                dropped: Dropped::default(),
            },
            RecordKind::Signalled(Signalled {
                retry_id: "r".into(),
                signal: 2,
                group: 9,
                program: Some("vi".into()),
            }),
            RecordKind::Replied { to: 4 },
            RecordKind::Marked { at: 5, genuine: Vec::new(), job: false },
            RecordKind::Resized { cols: 100, rows: 30, put_back: Some((80, 24)) },
            keyboard(KeyboardChange::Took { who: who(), name: "page".into(), lease_ms: Some(5) }),
            keyboard(KeyboardChange::Gave { who: who() }),
            keyboard(KeyboardChange::Vanished { who: who() }),
            keyboard(KeyboardChange::Came { who: who() }),
            keyboard(KeyboardChange::Expired),
            keyboard(KeyboardChange::Left { who: who() }),
            RecordKind::History { lines: 500 },
            RecordKind::Read { reader: "a".into(), shown: 8, retry_id: 9 },
            RecordKind::CaptureBegan(Capturing {
                path: path(),
                retry_id: "c".into(),
                since: 1,
                started_ms: 2,
            }),
            RecordKind::CaptureEnded {
                retry_id: "d".into(),
                capture: Capture { file: path(), bytes: 3, lost: 4, duration_ms: 5 },
            },
            RecordKind::Handoff(HandoffChange::Made(HandoffRequest {
                ended: None,
                ..HandoffRequest::filled()
            })),
            RecordKind::Handoff(HandoffChange::Ended(HandoffRequest::filled().ended.unwrap())),
            RecordKind::Answered { reader: "a".into(), run: "r".into() },
        ]
    }

    const PAGE: usize = 4096;

    /// The memory of a journal without most zeros: its length, then for each page that is not empty its offset, its length
    /// without trailing zeros, and its bytes.
    fn packed(fd: &OwnedFd) -> Vec<u8> {
        let mut memory = Vec::new();
        File::from(fd.try_clone().unwrap()).read_to_end(&mut memory).unwrap();
        let mut packed = (memory.len() as u32).to_le_bytes().to_vec();
        for (place, page) in (0_u32..).step_by(PAGE).zip(memory.chunks(PAGE)) {
            let used = page.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            if used > 0 {
                packed.extend([place, used as u32].map(u32::to_le_bytes).as_flattened());
                packed.extend(&page[..used]);
            }
        }
        packed
    }

    fn unpacked(mut packed: &[u8]) -> OwnedFd {
        let number = |packed: &mut &[u8]| {
            let (number, rest) = packed.split_first_chunk().unwrap();
            *packed = rest;
            u32::from_le_bytes(*number)
        };
        let fd = memory("journal", u64::from(number(&mut packed))).unwrap();
        while !packed.is_empty() {
            let (place, used) = (number(&mut packed), number(&mut packed));
            let (page, rest) = packed.split_at(used as usize);
            rustix::io::pwrite(&fd, page, u64::from(place)).unwrap();
            packed = rest;
        }
        fd
    }

    const COPY: &[u8] = br#"{"id":"sess_a"}"#;
    const COUNTED: &[u8] = b"this was counted, ";
    const NOT_COUNTED: &[u8] = "this was not: \u{fc}".as_bytes();

    /// A journal of which a checkpoint covers a part, and whose daemon died in the middle of a read.
    fn written() -> Vec<u8> {
        let (mut live, fd) = LiveJournal::create().unwrap();
        assert!(LiveJournal::describe(&fd, COPY).unwrap());
        let (reader, mut writer) = pipe();
        live.count_from(5000, 0);
        writer.write_all(COUNTED).unwrap();
        live.read_from(&reader).unwrap();
        for (seq, what) in (5000..).zip(every_kind()) {
            live.record(&Record { seq, what }).unwrap();
        }
        live.checkpointed(5004, 3);
        let end = live.output_len();
        live.output.slice_mut(end, end + NOT_COUNTED.len() as u64).copy_from_slice(NOT_COUNTED);
        packed(&fd)
    }

    #[test]
    fn journals_of_every_version_are_read() {
        for version in LiveJournal::OLDEST..=LiveJournal::VERSION {
            let newest = (version == LiveJournal::VERSION).then_some(&written as &dyn Fn() -> Vec<u8>);
            let fd = unpacked(&fixture("journal", u32::from(version), newest));
            assert_eq!(LiveJournal::description(&fd).as_deref(), Some(COPY), "version {version}");
            let live = LiveJournal::adopt(&fd).unwrap();
            assert_eq!((live.oldest(), live.covered()), (5000, (5004, 3)), "version {version}");
            let output = [COUNTED, NOT_COUNTED].concat();
            assert_eq!(live.output(5000, live.output_len()), output, "version {version}");
            let found = live.records(0);
            assert_eq!(found.unreadable, 0, "version {version}");
            let read: Vec<Record> = found.records.into_iter().map(|(_, record)| record).collect();
            let expected = (5000..).zip(every_kind()).map(|(seq, what)| Record { seq, what });
            assert_eq!(read, expected.collect::<Vec<_>>(), "version {version}");
        }
    }

    #[test]
    fn the_nonce_of_a_mark_is_erased_from_the_output() {
        let (mut live, _fd) = LiveJournal::create().unwrap();
        let (reader, mut writer) = pipe();
        writer.write_all(b"n0n0 \x1b]133;D;0;n0n0\x07 after n0n0").unwrap();
        live.read_from(&reader).unwrap();
        live.erase_nonce(20, "n0n0");
        assert_eq!(live.output(0, live.output_len()), b"n0n0 \x1b]133;D;0;----\x07 after n0n0");
        for end in [0, 3, 4711] {
            live.erase_nonce(end, "n0n0");
        }
        assert_eq!(live.output(0, 4), b"n0n0");
    }

    #[test]
    fn a_journal_stores_metadata_only_if_it_fits() {
        let (_, fd) = LiveJournal::create().unwrap();
        assert_eq!(LiveJournal::description(&fd), None);
        let room = HEADER - DESCRIPTION - 4;
        for (len, fits) in [(room + 1, false), (room, true)] {
            assert_eq!(LiveJournal::describe(&fd, &vec![b'x'; len]).unwrap(), fits);
            assert_eq!(LiveJournal::description(&fd).map(|copy| copy.len()), fits.then_some(len));
        }
        rustix::io::pwrite(&fd, &u32::MAX.to_le_bytes(), DESCRIPTION as u64).unwrap();
        assert_eq!(LiveJournal::description(&fd), None, "the length is impossible");
        assert_eq!(LiveJournal::adopt(&fd).unwrap().index_len(), 0, "the index is intact");
    }

    #[test]
    fn an_unreadable_record_does_not_affect_the_others() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        live.record(&typed(1, 1)).unwrap();
        let (from, newer) =
            (live.index_len(), minicbor_serde::to_vec(("a record", "of another time")).unwrap());
        let space = live.index.slice_mut(from, from + 4 + newer.len() as u64);
        space[..4].copy_from_slice(&u32::try_from(newer.len()).unwrap().to_le_bytes());
        space[4..].copy_from_slice(&newer);
        live.cells.store(CELL_INDEX, from + 4 + newer.len() as u64);
        live.record(&typed(2, 2)).unwrap();
        let found = LiveJournal::adopt(&fd).unwrap().records(0);
        let seqs: Vec<u64> = found.records.iter().map(|(_, record)| record.seq).collect();
        assert_eq!((seqs, found.unreadable), (vec![1, 2], 1));
    }

    #[test]
    fn memory_that_is_not_a_journal_of_this_version_is_refused_with_the_reason() {
        let refused = |fd: &OwnedFd| LiveJournal::adopt(fd).unwrap_err().to_string();
        let fd = memory("x", (HEADER + INDEX + OUTPUT) as u64).unwrap();
        assert_eq!((refused(&fd).as_str(), LiveJournal::output_len_of(&fd)), ("it is damaged", None));
        let short = memory("x", HEADER as u64 / 2).unwrap();
        assert_eq!((refused(&short).as_str(), LiveJournal::output_len_of(&short)), ("it is too short", None));
        let (live, fd) = LiveJournal::create().unwrap();
        live.cells.store(CELL_MAGIC, u64::from_le_bytes(*b"cottyJ99"));
        live.cells.store(CELL_OUTPUT, 4711);
        assert_eq!(refused(&fd), "another version of cotty wrote it");
        assert_eq!(LiveJournal::output_len_of(&fd), Some(4711));
        // Impossible counts.
        for (cell, value) in [(CELL_OUTPUT, 1 << 60), (CELL_INDEX, 1 << 40), (CELL_COVERED_OUTPUT, 9)] {
            let (live, fd) = LiveJournal::create().unwrap();
            live.cells.store(cell, value);
            assert_eq!(refused(&fd), "it is damaged", "cell {cell}");
        }
    }

    #[test]
    fn a_journal_goes_on_without_checkpoints_and_does_not_claim_any() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        let (reader, mut writer) = pipe();
        live.checkpointed(0, 0);
        let mut failed = 0;
        for round in 0..3 * OUTPUT / 4096 {
            if live.wants_checkpoint() {
                live.pass_without_checkpoint();
                failed += 1;
            }
            writer.write_all(&[b'a' + (round % 26) as u8; 4096]).unwrap();
            live.read_from(&reader).unwrap();
            for _ in 0..8 {
                live.record(&typed(live.output_len(), round as u64)).unwrap();
            }
        }
        assert!(failed > 10, "it is tried again soon");
        let live = LiveJournal::adopt(&fd).unwrap();
        assert_eq!((live.covered(), live.output_len()), ((0, 0), 3 * OUTPUT as u64));
        assert!(live.records(0).records.is_empty() && live.first_record(0) > 0);
        let found = live.records(live.first_record(0));
        let last = found.records.last().map(|(_, record)| record.seq);
        assert_eq!((found.unreadable, last), (0, Some(3 * OUTPUT as u64)));
    }

    #[test]
    fn a_new_journal_continues_the_counts_of_a_lost_one() {
        let (mut live, fd) = LiveJournal::create().unwrap();
        let (reader, mut writer) = pipe();
        live.count_from(5_000_001, 700);
        writer.write_all(b"more").unwrap();
        live.read_from(&reader).unwrap();
        live.record(&typed(5_000_005, 1)).unwrap();
        let live = LiveJournal::adopt(&fd).unwrap();
        assert_eq!(live.output_len(), 5_000_005);
        assert_eq!(live.output(5_000_001, 5_000_005), b"more");
        assert_eq!(live.records(0).records.len(), 1);
        assert_eq!(live.oldest(), 5_000_001);
    }
}
