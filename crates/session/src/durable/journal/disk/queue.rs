use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_vt::Vt;
use tokio::sync::oneshot;

use super::frame::{Extent, Frame, FrameEntry, Head, Note, Span};
use super::job::{JobFiles, JobResult};
use super::segment_writer::SegmentWriter;
use super::worker::Worker;
use crate::durable::journal::LiveJournal;
use crate::handle::Ended;

/// Bytes of output in one frame, and in one job of the writing thread.
const FRAME: usize = 64 * 1024;
const JOB: usize = 256 * 1024;
/// Entries in one frame.
const ENTRIES: usize = 1024;
/// This much output is written at once. Less output waits for more, but no longer than `QUIET`.
const FINISHED: u64 = 64 * 1024;
const QUIET: Duration = Duration::from_millis(250);
/// Output that arrives within this time becomes one item.
const TOGETHER_MS: u64 = 5;
/// The most items that wait for a slow disk. Beyond that, items are dropped and the recorded times get coarse.
const MOST_WAITING: usize = 16 * 1024;
/// The first and the longest delay before a failed write is retried.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);
/// How soon to try again if the writing thread takes no more jobs.
const CROWDED: Duration = Duration::from_millis(20);

/// What a session has not written to its files yet. The output itself is still in the ring; the queue has the times and
/// the notes. It decides when to write, and runs at most one job at a time.
pub(crate) struct RecordingQueue {
    files: JobFiles<Box<SegmentWriter>>,
    /// How many of the waiting items the running job writes.
    in_job: usize,
    /// In order. Each item has the seq that the output had reached at its time, and what happened then.
    waiting: VecDeque<Item>,
    /// Items that were ever queued, and how many of them are done.
    pushed: u64,
    popped: u64,
    place: Extent,
    bytes: u64,
    /// Whether the existing files were read.
    opened: bool,
    /// Nothing is queued while the journal of an earlier daemon is replayed.
    live: bool,
    adopted: Option<Adopted>,
    due: Option<Instant>,
    failing: Option<(Duration, String)>,
    /// Output is missing, so a new segment must begin with a whole state.
    torn: bool,
    waiters: Vec<(u64, oneshot::Sender<()>)>,
}

/// A recording's files, returned by the writing thread.
pub(crate) type Written = JobResult<Box<SegmentWriter>>;

struct Item {
    seq: u64,
    index: u64,
    ms: u64,
    what: ItemKind,
}

enum ItemKind {
    Output,
    Note(Note),
    /// The next segment begins, with this state.
    Rotate(Arc<Vt>),
}

/// How far the previous daemon had come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adopted {
    pub(crate) seq: u64,
    pub(crate) index: u64,
    pub(crate) ms: u64,
}

/// Something that happened before the queue went live.
pub(crate) struct Late {
    pub(crate) seq: u64,
    pub(crate) index: u64,
    pub(crate) ms: u64,
    pub(crate) note: Note,
}

/// The state of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordingState {
    /// Whether the session is recorded.
    pub on: bool,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bytes of output that could not be recorded.
    pub lost: u64,
    /// Why writing fails at present.
    pub error: Option<String>,
}

impl RecordingQueue {
    pub(crate) fn new(writer: Option<SegmentWriter>, worker: Worker) -> RecordingQueue {
        RecordingQueue {
            files: JobFiles::new(writer.map(Box::new), worker),
            in_job: 0,
            waiting: VecDeque::new(),
            pushed: 0,
            popped: 0,
            place: Extent::default(),
            bytes: 0,
            opened: false,
            live: false,
            adopted: None,
            due: None,
            failing: None,
            torn: false,
            waiters: Vec::new(),
        }
    }

    /// Ends the replay: from now on items are queued. Earlier events are added by [`RecordingQueue::learn`].
    pub(crate) fn go_live(&mut self, adopted: Option<Adopted>, now: Instant) {
        self.live = true;
        self.adopted = adopted;
        self.due = Some(now);
    }

    /// Output arrived.
    pub(crate) fn output(&mut self, seq: u64, index: u64, ms: u64, now: Instant) {
        match self.waiting.back_mut() {
            Some(Item { what: ItemKind::Output, seq: end, index: known, ms: began })
                if ms.saturating_sub(*began) < TOGETHER_MS =>
            {
                (*end, *known) = (seq, index);
            }
            _ => self.push(Item { seq, index, ms, what: ItemKind::Output }, now),
        }
    }

    /// Something happened when the output had reached `seq`.
    pub(crate) fn note(&mut self, seq: u64, index: u64, ms: u64, note: Note, now: Instant) {
        self.push(Item { seq, index, ms, what: ItemKind::Note(note) }, now);
    }

    fn push(&mut self, item: Item, now: Instant) {
        if !self.live || self.files.is_closed() {
            return;
        }
        if self.waiting.len() >= MOST_WAITING && !self.files.is_busy() {
            let before = self.waiting.len();
            self.waiting.retain(|item| !matches!(item.what, ItemKind::Output));
            self.waiting.drain(..self.waiting.len().saturating_sub(MOST_WAITING / 2));
            self.popped += (before - self.waiting.len()) as u64;
        }
        self.pushed += 1;
        self.waiting.push_back(item);
        self.due = self.due.or(Some(now + QUIET));
    }

    /// When to call [`RecordingQueue::turn`] at the latest. `None` if everything is written or a job is running.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        self.due.filter(|_| self.files.idle().is_some())
    }

    /// Answers when everything up to now is in the files, or cannot be written.
    pub(crate) fn flush(&mut self, reply: oneshot::Sender<()>) {
        match self.files.is_closed() {
            true => drop(reply.send(())),
            false => self.waiters.push((self.pushed, reply)),
        }
        self.answer(false);
    }

    fn answer(&mut self, all: bool) {
        let done = |upto: u64| all || (self.opened && self.popped >= upto);
        let (ready, waiting) =
            std::mem::take(&mut self.waiters).into_iter().partition(|(upto, _)| done(*upto));
        self.waiters = waiting;
        let ready: Vec<(u64, oneshot::Sender<()>)> = ready;
        for (_, reply) in ready {
            let _ = reply.send(());
        }
    }

    /// Starts a job for the writing thread if one is due.
    pub(crate) fn turn(&mut self, live: &LiveJournal, vt: &Vt, now: Instant, now_ms: u64) {
        let unwritten = live.output_len().saturating_sub(self.place.seq);
        let due = self.due.is_some_and(|due| due <= now);
        let finished = self.failing.is_none() && self.opened && unwritten >= FINISHED;
        if !(due || finished || !self.waiters.is_empty()) {
            return;
        }
        let Some(writer) = self.files.idle() else { return };
        if !self.files.has_room() {
            self.due = Some(now + CROWDED);
            return;
        }
        if self.opened && (writer.is_full() || self.torn) && !self.waiting.iter().any(Item::is_rotation) {
            // The output up to here is in the queue, and in the ring.
            let (seq, index) = (vt.seq(), live.index_len());
            self.push(Item { seq, index, ms: now_ms, what: ItemKind::Rotate(Arc::new(vt.clone())) }, now);
            self.torn = false;
        }
        let (work, items) = if self.opened { self.next_job(live) } else { (Work::Open, 0) };
        if matches!(&work, Work::Append(frames) if frames.is_empty()) {
            // The files already had what waited.
            self.pop(items);
            self.due = None;
            self.answer(true);
            return;
        }
        self.in_job = items;
        self.files.start(move |writer| match work {
            Work::Open => writer.open(now_ms),
            Work::Append(frames) => writer.append(&frames).and_then(|()| match ended(&frames) {
                Some(ended) => writer.ended(ended),
                None => Ok(()),
            }),
            Work::Rotate(vt) => writer.rotate(&vt, now_ms),
        });
    }

    /// Waits for the running job, forever if there is none; `None` if the writing thread is gone.
    pub(crate) async fn written(&mut self) -> Option<Written> {
        self.files.finished().await
    }

    /// Takes the files back after a job. After the first read of an earlier daemon's files it returns how far they go;
    /// the caller then passes what they lack to [`RecordingQueue::learn`].
    pub(crate) fn landed(&mut self, written: Option<Written>, now: Instant) -> Option<(Extent, Adopted)> {
        let items = std::mem::take(&mut self.in_job);
        let Some(JobResult { files: mut writer, result }) = written else {
            tracing::error!("the recording thread has ended; nothing more is recorded");
            self.answer(true);
            return None;
        };
        self.bytes = writer.bytes();
        let mut first = None;
        match (result, writer.place()) {
            (Ok(()), Some(place)) => {
                self.failing = None;
                let reopened = !self.opened;
                let mut place = place;
                if let Some(now) = self.adopted.filter(|now| now.seq < place.seq || now.index < place.index) {
                    // The journal was lost and counts from an earlier place. A whole state connects the two.
                    place =
                        Extent { seq: place.seq.min(now.seq), index: place.index.min(now.index), ..place };
                    writer.rewind(place);
                    self.torn = true;
                }
                self.place = place;
                let ended = writer.has_ended();
                if reopened {
                    first = self.adopted.take().map(|adopted| (place, adopted));
                    self.opened = true;
                    // A state that was not written yet is taken again.
                    self.torn |= self.waiting.iter().any(Item::is_rotation);
                    self.waiting.retain(|item| !item.is_in(place, ended));
                    self.popped = self.pushed - self.waiting.len() as u64;
                } else {
                    self.pop(items);
                }
                self.due =
                    self.waiting.front().map(|item| if item.is_rotation() { now } else { now + QUIET });
                self.files.put_back(writer);
                if first.is_none() {
                    self.answer(false);
                }
            }
            (result, _) => {
                let error =
                    result.err().map_or_else(|| "the files were not opened".to_owned(), |e| e.to_string());
                let wait = match &self.failing {
                    // A caller of `flush` caused this attempt: the scheduled retry stays as it is.
                    Some((wait, _)) if self.due.is_some_and(|due| due > now) => *wait,
                    failed => {
                        tracing::warn!(error, "cannot write a recording; retrying");
                        let wait = failed.as_ref().map_or(RETRY, |(wait, _)| (*wait * 2).min(RETRY_MAX));
                        self.due = Some(now + wait);
                        wait
                    }
                };
                self.failing = Some((wait, error));
                // Read the files again, as after a restart.
                self.opened = false;
                self.files.put_back(writer);
                self.answer(true);
            }
        }
        first
    }

    fn pop(&mut self, items: usize) {
        for _ in 0..items {
            // The last item may have grown while the job ran.
            if self.waiting.front().is_none_or(|item| item.seq > self.place.seq) {
                break;
            }
            self.waiting.pop_front();
            self.popped += 1;
        }
    }

    /// Adds what happened before this daemon started and is not in the files.
    pub(crate) fn learn(&mut self, mut late: Vec<Late>, adopted: Adopted, now: Instant) {
        late.sort_by_key(|late| late.seq);
        let notes = late.into_iter().map(|late| Item {
            seq: late.seq,
            index: late.index,
            ms: late.ms,
            what: ItemKind::Note(late.note),
        });
        let output = Item { seq: adopted.seq, index: adopted.index, ms: adopted.ms, what: ItemKind::Output };
        let newer = std::mem::take(&mut self.waiting);
        self.waiting = notes.chain([output]).chain(newer).collect();
        let pushed = self.popped + self.waiting.len() as u64;
        let added = pushed - self.pushed;
        self.waiters.iter_mut().for_each(|(upto, _)| *upto += added);
        self.pushed = pushed;
        self.due = Some(now);
    }

    /// The next job, and how many items it covers.
    fn next_job(&mut self, live: &LiveJournal) -> (Work, usize) {
        if let Some(Item { what: ItemKind::Rotate(vt), .. }) = self.waiting.front() {
            return (Work::Rotate(Arc::clone(vt)), 1);
        }
        let mut place = self.place;
        let mut builder = FrameBuilder::default();
        let oldest = live.oldest();
        if place.seq < oldest {
            let bytes = oldest - place.seq;
            place = Extent { seq: oldest, lost: place.lost + bytes, ..place };
            let ms = self.waiting.front().map_or(0, |item| item.ms);
            builder.add(FrameEntry { ms, note: Note::Gap { bytes } }, &[], place);
            self.torn = true;
        }
        let mut items = 0;
        for item in &self.waiting {
            while place.seq < item.seq && builder.bytes < JOB {
                let to = item.seq.min(place.seq + builder.room() as u64);
                let output = live.output(place.seq, to);
                let note = Note::Output(u32::try_from(output.len()).unwrap_or(0));
                builder.add(FrameEntry { ms: item.ms, note }, output, place);
                place.seq = to;
            }
            if place.seq < item.seq {
                break;
            }
            match &item.what {
                ItemKind::Rotate(_) => break,
                ItemKind::Output => place.index = place.index.max(item.index),
                ItemKind::Note(note) => {
                    place.index = place.index.max(item.index);
                    builder.add(FrameEntry { ms: item.ms, note: note.clone() }, &[], place);
                }
            }
            items += 1;
        }
        builder.close(place);
        (Work::Append(builder.frames), items)
    }

    /// Whether the ring is about to overwrite output that is not written yet, although the disk works.
    pub(crate) fn is_behind(&self, live: &LiveJournal) -> bool {
        self.live
            && self.failing.is_none()
            && self.files.is_busy()
            && self.place.seq < live.oldest() + FRAME as u64
    }

    pub(crate) fn state(&self, live: &LiveJournal) -> RecordingState {
        let missing = live.oldest().saturating_sub(self.place.seq);
        RecordingState {
            on: !self.files.is_closed(),
            bytes: self.bytes,
            lost: self.place.lost + if self.opened || self.failing.is_some() { missing } else { 0 },
            error: self.failing.as_ref().map(|(_, error)| error.clone()),
        }
    }

    /// Ends the recording and seals its last segment.
    pub(crate) fn close(&mut self) {
        self.files.close(|mut writer| writer.seal());
    }
}

impl Item {
    fn is_rotation(&self) -> bool {
        matches!(self.what, ItemKind::Rotate(_))
    }

    /// Whether files that reach `place` already have this item.
    fn is_in(&self, place: Extent, ended: bool) -> bool {
        match &self.what {
            ItemKind::Note(Note::Exited { .. }) => ended,
            ItemKind::Rotate(_) => true,
            _ => self.seq <= place.seq && self.index <= place.index,
        }
    }
}

enum Work {
    Open,
    Append(Vec<Frame>),
    Rotate(Arc<Vt>),
}

/// Builds frames.
#[derive(Default)]
struct FrameBuilder {
    frames: Vec<Frame>,
    entries: Vec<FrameEntry>,
    payload: Vec<u8>,
    bytes: usize,
}

impl FrameBuilder {
    /// Adds an entry after `place`. Only output begins a new frame: a note stays with the output before it, so that no
    /// frame ends between the two.
    fn add(&mut self, entry: FrameEntry, output: &[u8], place: Extent) {
        if !output.is_empty() && (self.payload.len() >= FRAME || self.entries.len() >= ENTRIES) {
            self.close(place);
        }
        self.entries.push(entry);
        self.payload.extend(output);
        self.bytes += output.len();
    }

    /// How much more output fits into this frame; a whole frame if it is full.
    fn room(&self) -> usize {
        match FRAME - self.payload.len() {
            0 => FRAME,
            room => room,
        }
    }

    fn close(&mut self, place: Extent) {
        if self.entries.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let payload = std::mem::take(&mut self.payload);
        self.frames.push(Frame { head: Head::Span(Span { place, entries }), payload });
    }
}

/// How the program ended, if the frames contain its exit.
fn ended(frames: &[Frame]) -> Option<Ended> {
    frames.iter().rev().find_map(Frame::ended)
}

#[cfg(test)]
mod tests;
