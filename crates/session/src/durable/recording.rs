//! What a session writes to its files: output, and other events such as input, commands and sizes.

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_vt::Vt;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::journal::disk::{
    Adopted, Capture, CaptureWriter, Capturing, Late, Note, RecordingQueue, RecordingState, Worker, Written,
};
use super::journal::{LiveJournal, RecordKind};
use crate::SessionError;
use crate::commands::{Commands, Moment};
use crate::handle::Ended;
use crate::input::Typing;

/// How long output waits for a slow disk, at most once per `RINGFUL` bytes: a flood of output gets a bounded delay instead
/// of a gap.
const PATIENCE: Duration = Duration::from_millis(20);
const RINGFUL: u64 = 2 << 20;
/// Of longer input only the length is recorded.
const LONGEST_INPUT: u64 = 256 * 1024;

/// The saved state of captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Captures {
    capturing: Option<Capturing>,
    /// The last capture, and the request that ended it.
    captured: Option<(String, Capture)>,
}

/// A moment in a session: the seq, the length of the index, and the time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub(crate) seq: u64,
    pub(crate) index: u64,
    pub(crate) ms: u64,
}

/// The recording and the capture of a session.
pub(crate) struct Recording {
    queue: RecordingQueue,
    capture: Option<CaptureWriter>,
    writer: Worker,
    captures: Captures,
    /// Up to this seq, output does not wait for the disk again.
    impatient: u64,
}

impl Recording {
    pub(crate) fn new(queue: RecordingQueue, writer: Worker) -> Recording {
        Recording { queue, capture: None, writer, captures: Captures::default(), impatient: 0 }
    }

    /// The part that is saved.
    pub(crate) fn captures(&self) -> &Captures {
        &self.captures
    }

    /// Restores the saved part.
    pub(crate) fn restore(&mut self, captures: Captures) {
        self.captures = captures;
    }

    /// The state of the recording.
    pub(crate) fn state(&self, live: &LiveJournal) -> RecordingState {
        self.queue.state(live)
    }

    /// Ends the replay: from now on events are new. `adopted`: an earlier daemon served the session.
    pub(crate) fn go_live(&mut self, at: At, adopted: bool, now: Instant) {
        let adopted = adopted.then_some(Adopted { seq: at.seq, index: at.index, ms: at.ms });
        self.queue.go_live(adopted, now);
        if let Some(capturing) = self.captures.capturing.clone() {
            let mut capture = CaptureWriter::new(capturing, self.writer.clone(), now);
            capture.output(at.ms, now);
            self.capture = Some(capture);
        }
    }

    /// Notes that output was processed.
    pub(crate) fn output(&mut self, at: At, now: Instant) {
        self.queue.output(at.seq, at.index, at.ms, now);
        if let Some(capture) = &mut self.capture {
            capture.output(at.ms, now);
        }
    }

    /// Notes a new record. Some start or end a capture, and some belong into the recording.
    pub(crate) fn record(&mut self, what: &RecordKind, at: At, typing: &Typing, now: Instant) {
        match what {
            RecordKind::CaptureBegan(capturing) => self.captures.capturing = Some(capturing.clone()),
            RecordKind::CaptureEnded { retry_id, capture } => {
                self.captures.capturing = None;
                self.captures.captured = Some((retry_id.clone(), capture.clone()));
            }
            _ => {}
        }
        if let Some(note) = note_of(what, typing) {
            self.queue.note(at.seq, at.index, at.ms, note, now);
        }
    }

    /// Notes that the shell marked the start or end of a command.
    pub(crate) fn command(&mut self, commands: &Commands, at: Moment, index: u64, now: Instant) {
        let Some(command) = commands.newest_first().next() else { return };
        let note = if command.started == Some(at) {
            Note::Began { command: command.text.clone() }
        } else if command.ended == Some(at) {
            Note::Ended { code: command.exit_code.unwrap_or(0) }
        } else {
            return;
        };
        self.queue.note(at.seq, index, at.ms, note, now);
    }

    /// Notes that the program ended.
    pub(crate) fn exit(&mut self, ended: Ended, at: At, now: Instant) {
        let note = Note::Exited { code: ended.exit_code, signal: ended.signal };
        self.queue.note(at.seq, at.index, at.ms, note, now);
    }

    /// Hands finished parts to the writing thread.
    pub(crate) fn turn(&mut self, live: &LiveJournal, vt: &Vt, now: Instant, ms: u64) {
        self.queue.turn(live, vt, now, ms);
        if let Some(capture) = &mut self.capture {
            capture.turn(live, now, ms);
        }
    }

    /// When to call `turn` next.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let files = [self.queue.wakeup(), self.capture.as_ref().and_then(CaptureWriter::wakeup)];
        files.into_iter().flatten().min()
    }

    /// Waits until the writing thread has written a part of the recording or of a capture.
    pub(crate) async fn written(&mut self) -> Option<Option<Written>> {
        let caught = async {
            match &mut self.capture {
                Some(capture) => capture.written().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            written = self.queue.written() => Some(written),
            () = caught => None,
        }
    }

    /// Takes back the result of a job of the writing thread. After the first job, adds the events that the daemon before us
    /// did not write.
    pub(crate) fn landed(
        &mut self,
        written: Option<Written>,
        live: &LiveJournal,
        commands: &Commands,
        typing: &Typing,
        now: Instant,
    ) {
        let Some((place, adopted)) = self.queue.landed(written, now) else { return };
        let mut late: Vec<Late> = Vec::new();
        let mut ms = adopted.ms;
        for (index, record) in live.records(place.index).records {
            if index > adopted.index {
                break;
            }
            if let RecordKind::Marked { at, .. } = record.what {
                ms = at;
            }
            if let Some(note) = note_of(&record.what, typing) {
                late.push(Late { seq: record.seq, index, ms, note });
            }
        }
        for command in commands.newest_first() {
            let is_new = |at: &Moment| at.seq > place.seq && at.seq <= adopted.seq;
            let index = place.index;
            if let Some(at) = command.started.filter(is_new) {
                let note = Note::Began { command: command.text.clone() };
                late.push(Late { seq: at.seq, index, ms: at.ms, note });
            }
            if let Some(at) = command.ended.filter(is_new) {
                let note = Note::Ended { code: command.exit_code.unwrap_or(0) };
                late.push(Late { seq: at.seq, index, ms: at.ms, note });
            }
        }
        self.queue.learn(late, adopted, now);
    }

    /// Whether the ring is about to overwrite output that is not on disk yet, although the disk works.
    pub(crate) fn is_behind(&self, live: &LiveJournal, seq: u64) -> bool {
        seq >= self.impatient && self.queue.is_behind(live)
    }

    /// Waits a moment for the disk; `None` if it finished nothing.
    pub(crate) async fn catch_up(&mut self, seq: u64) -> Option<Option<Written>> {
        let written = tokio::time::timeout(PATIENCE, self.queue.written()).await.ok();
        if written.is_none() {
            self.impatient = seq + RINGFUL;
        }
        written
    }

    /// Finishes the files of a session that is over.
    pub(crate) fn close(&mut self) {
        self.queue.close();
        self.close_capture();
    }

    /// Replies when everything up to now is in the files, or could not be written.
    pub(crate) fn flush(&mut self, reply: oneshot::Sender<()>) {
        self.queue.flush(reply);
    }
}

/// Captures.
impl Recording {
    /// The same as [`Recording::flush`] for the capture.
    pub(crate) fn flush_capture(&mut self, reply: oneshot::Sender<()>) {
        match &mut self.capture {
            Some(capture) => capture.flush(reply),
            None => drop(reply.send(())),
        }
    }

    /// The retry id that started the running capture, and what it has captured.
    pub(crate) fn capturing(&self, ms: u64) -> Option<(String, Capture)> {
        self.capture.as_ref().map(|capture| (capture.retry_id().to_owned(), capture.so_far(ms)))
    }

    /// An error if a capture runs.
    pub(crate) fn check_no_capture(&self) -> Result<(), SessionError> {
        match &self.captures.capturing {
            Some(running) => {
                Err(ApiError::CaptureRunning { file: running.path.display().to_string() }.into())
            }
            None => Ok(()),
        }
    }

    /// Starts a capture that the journal has a record of; returns what it has captured.
    pub(crate) fn begin_capture(&mut self, capturing: Capturing, now: Instant, ms: u64) -> Capture {
        let capture = CaptureWriter::new(capturing, self.writer.clone(), now);
        self.capture.insert(capture).so_far(ms)
    }

    /// The last capture, if the request with this id ended it.
    pub(crate) fn ended_by(&self, retry_id: &str) -> Option<Capture> {
        let (_, capture) = self.captures.captured.as_ref().filter(|(known, _)| known == retry_id)?;
        Some(capture.clone())
    }

    /// Waits until the running capture has been written; returns it.
    pub(crate) async fn settle_capture(&mut self, now_ms: impl Fn() -> u64) -> Result<Capture, SessionError> {
        let writer = self.capture.as_mut().ok_or(ApiError::NoCapture)?;
        writer.settle().await;
        Ok(writer.so_far(now_ms()))
    }

    /// Closes the running capture.
    pub(crate) fn close_capture(&mut self) {
        if let Some(capture) = self.capture.take() {
            capture.close();
        }
    }
}

/// The note for a record in a recording, if any.
fn note_of(what: &RecordKind, typing: &Typing) -> Option<Note> {
    match what {
        RecordKind::Typed { bytes, to, recorded, .. } => {
            let kept = *recorded && *bytes <= LONGEST_INPUT;
            let text = if kept { typing.bytes(to - bytes, *to) } else { None };
            Some(Note::Input { bytes: *bytes, text })
        }
        RecordKind::Resized { cols, rows, .. } => Some(Note::Resized { cols: *cols, rows: *rows }),
        RecordKind::Replied { .. }
        | RecordKind::Marked { .. }
        | RecordKind::Keyboard { .. }
        | RecordKind::History { .. }
        | RecordKind::Read { .. }
        | RecordKind::CaptureBegan(_)
        | RecordKind::CaptureEnded { .. }
        | RecordKind::Handoff(_)
        | RecordKind::Signalled(_)
        | RecordKind::Answered { .. } => None,
    }
}

#[cfg(test)]
impl Captures {
    /// Captures with a value in every field.
    pub(crate) fn filled() -> Captures {
        let path = std::path::PathBuf::from("/tmp/captured");
        Captures {
            capturing: Some(Capturing { path: path.clone(), retry_id: "c".into(), since: 6, started_ms: 7 }),
            captured: Some(("d".into(), Capture { file: path, bytes: 8, lost: 9, duration_ms: 10 })),
        }
    }
}
