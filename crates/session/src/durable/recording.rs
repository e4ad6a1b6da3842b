//! What a session tells its files: output as it came, and what happened beside it.

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use tokio::sync::oneshot;

use crate::SessionError;
use crate::commands::Moment;
use crate::durable::journal::disk::{Adopted, Capture, Capturing, Catcher, Landing, Late, Note};
use crate::durable::journal::{Record, What};
use crate::handle::Ended;
use crate::hub::meta::now_ms;
use crate::task::Task;

/// How long output waits for a disk that works but has fallen behind, at most once for each ringful: a bounded delay
/// in a flood, instead of a hole.
const PATIENCE: Duration = Duration::from_millis(20);
const RINGFUL: u64 = 2 << 20;
/// More than this that was typed at once is told by its length.
const LONGEST_INPUT: u64 = 256 * 1024;

impl Task {
    /// From here on things happen for the first time. `adopted`: an older daemon was here before.
    pub(crate) fn go_live(&mut self, adopted: bool) {
        let (now, ms) = (Instant::now(), now_ms());
        let adopted = adopted.then(|| Adopted { seq: self.vt.seq(), index: self.hot.index_len(), ms });
        self.tape.go_live(adopted, now);
        if let Some(capturing) = self.saved.capturing.clone() {
            let mut catcher = Catcher::new(capturing, self.writer.clone(), now);
            catcher.output(ms, now);
            self.catcher = Some(catcher);
        }
    }

    /// Output came, and was processed.
    pub(crate) fn note_output(&mut self, ms: u64) {
        let now = Instant::now();
        self.tape.output(self.vt.seq(), self.hot.index_len(), ms, now);
        if let Some(catcher) = &mut self.catcher {
            catcher.output(ms, now);
        }
    }

    /// A record was made, and applied.
    pub(crate) fn note_record(&mut self, what: &What, ms: u64) {
        if let Some(note) = self.note_of(what) {
            self.tape.note(self.vt.seq(), self.hot.index_len(), ms, note, Instant::now());
        }
    }

    fn note_of(&self, what: &What) -> Option<Note> {
        match what {
            What::Typed { bytes, to, recorded, .. } => {
                let kept = *recorded && *bytes <= LONGEST_INPUT;
                let text = if kept { self.input.bytes(to - bytes, *to) } else { None };
                Some(Note::Input { bytes: *bytes, text })
            }
            What::Resized { cols, rows, .. } => Some(Note::Resized { cols: *cols, rows: *rows }),
            What::Replied { .. }
            | What::Marked { .. }
            | What::Keyboard { .. }
            | What::History { .. }
            | What::Read { .. }
            | What::CaptureBegan(_)
            | What::CaptureEnded { .. }
            | What::Plea(_)
            | What::Signalled(_)
            | What::Answered { .. } => None,
        }
    }

    /// The shell said something about its commands.
    pub(crate) fn note_command(&mut self, at: Moment) {
        let Some(command) = self.saved.commands.newest_first().next() else { return };
        let note = if command.started == Some(at) {
            Note::Began { command: command.text.clone() }
        } else if command.ended == Some(at) {
            Note::Ended { code: command.exit_code.unwrap_or(0) }
        } else {
            return;
        };
        self.tape.note(at.seq, self.hot.index_len(), at.ms, note, Instant::now());
    }

    pub(crate) fn note_exit(&mut self, ended: Ended) {
        let note = Note::Exited { code: ended.exit_code, signal: ended.signal };
        self.tape.note(self.vt.seq(), self.hot.index_len(), ended.at_ms, note, Instant::now());
    }

    /// Hands the writing thread what is finished.
    pub(crate) fn turn_files(&mut self, now: Instant) {
        let ms = now_ms();
        self.tape.turn(&self.hot, &self.vt, now, ms);
        if let Some(catcher) = &mut self.catcher {
            catcher.turn(&self.hot, now, ms);
        }
    }

    /// The writing thread is done with a job.
    pub(crate) fn tape_landed(&mut self, landing: Option<Landing>) {
        let now = Instant::now();
        let Some((place, adopted)) = self.tape.landed(landing, now) else { return };
        let mut late: Vec<Late> = Vec::new();
        let mut ms = adopted.ms;
        for (index, record) in self.hot.records(place.index).records {
            if index > adopted.index {
                break;
            }
            if let What::Marked { at } = record.what {
                ms = at;
            }
            if let Some(note) = self.note_of(&record.what) {
                late.push(Late { seq: record.seq, index, ms, note });
            }
        }
        for command in self.saved.commands.newest_first() {
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
        self.tape.learn(late, adopted, now);
    }

    /// The ring is about to overwrite what is not written, though the disk works: it gets a moment.
    pub(crate) async fn let_tape_catch_up(&mut self) {
        if self.vt.seq() < self.impatient {
            return;
        }
        match tokio::time::timeout(PATIENCE, self.tape.landing()).await {
            Ok(landing) => {
                self.tape_landed(landing);
                self.turn_files(Instant::now());
            }
            Err(_) => self.impatient = self.vt.seq() + RINGFUL,
        }
    }

    /// The session is over; its files get their last touch.
    pub(crate) fn close_files(&mut self) {
        self.tape.close();
        if let Some(catcher) = self.catcher.take() {
            catcher.close();
        }
    }

    pub(crate) fn flush_capture(&mut self, reply: oneshot::Sender<()>) {
        match &mut self.catcher {
            Some(catcher) => catcher.flush(reply),
            None => drop(reply.send(())),
        }
    }

    /// The request that began the capture, and what it has so far.
    pub(crate) fn capturing(&self) -> Option<(String, Capture)> {
        self.catcher.as_ref().map(|catcher| (catcher.request().to_owned(), catcher.so_far(now_ms())))
    }

    pub(crate) async fn start_capture(&mut self, mut capturing: Capturing) -> Result<Capture, SessionError> {
        if let Some(running) = &self.saved.capturing {
            return Err(ApiError::CaptureRunning { file: running.path.clone().display().to_string() }.into());
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        // What came before is read before: it is not part of it.
        self.drain().await;
        capturing.since = self.vt.seq();
        let what = What::CaptureBegan(capturing.clone());
        self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(&what, now_ms());
        let catcher = Catcher::new(capturing, self.writer.clone(), Instant::now());
        let begun = catcher.so_far(now_ms());
        self.catcher = Some(catcher);
        Ok(begun)
    }

    pub(crate) async fn stop_capture(&mut self, request: &str) -> Result<Capture, SessionError> {
        if let Some((_, capture)) = self.saved.captured.as_ref().filter(|(known, _)| known == request) {
            return Ok(capture.clone());
        }
        let Some(mut catcher) = self.catcher.take() else { return Err(ApiError::NoCapture.into()) };
        catcher.settle().await;
        let capture = catcher.so_far(now_ms());
        let what = What::CaptureEnded { request: request.to_owned(), capture: capture.clone() };
        self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(&what, now_ms());
        catcher.close();
        Ok(capture)
    }
}
