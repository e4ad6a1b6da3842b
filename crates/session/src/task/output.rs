//! Output: it is read from the terminal and fed to the engine, and the engine's effects are carried out.

use std::convert::Infallible;
use std::io;
use std::time::{Duration, Instant};

use cotty_pty::WindowSize;
use cotty_vt::EffectKind;
use tokio::io::Interest;

use super::Task;
use crate::Verdict;
use crate::commands::Moment;
use crate::durable::journal::disk::Written;
use crate::durable::journal::{Record, RecordKind};
use crate::hub::meta::now_ms;
use crate::shell::{ShellMark, read_erased_mark, read_mark};
use crate::wait::facts::Facts;

/// Most output read in one turn, so that a busy session does not starve the others.
const TURN: usize = 64 * 1024;
/// After this long a turn of the loop ends even if it has read less.
const LONGEST_TURN: Duration = Duration::from_millis(20);

/// What the journal says about the marks in a piece of output.
#[derive(Debug, Clone, Default)]
pub(super) struct NotedMarks {
    /// When they were processed.
    pub(super) at: u64,
    /// Where those end that had the nonce.
    pub(super) genuine: Vec<u64>,
    /// Whether a job of the shell had the foreground.
    pub(super) job: bool,
}

impl Task {
    /// Processes pending output, so that a read returns everything written before it.
    pub(super) async fn drain_before_read(&mut self) {
        self.drain().await;
        let _ = self.make_room().await;
    }

    /// Reads pending output, at most one turn's worth, which is as much as a terminal holds. Returns whether there may be more.
    pub(crate) async fn drain(&mut self) -> bool {
        self.drain_for(Duration::MAX).await
    }

    /// The same in the loop, where the session's callers wait for the end of the turn.
    pub(super) async fn drain_in_loop(&mut self) -> bool {
        self.drain_for(LONGEST_TURN).await
    }

    async fn drain_for(&mut self, longest: Duration) -> bool {
        let (mut taken, began) = (0, Instant::now());
        let is_over = |taken| taken >= TURN || (taken > 0 && began.elapsed() >= longest);
        while !is_over(taken) {
            if self.make_room().await.is_err() {
                // Without a checkpoint a new daemon will not have all history, but the session continues.
                self.journal.pass_without_checkpoint();
            }
            if self.recording.is_behind(&self.journal, self.vt.seq()) {
                self.let_recording_catch_up().await;
            }
            match self.terminal.read(&mut self.journal) {
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count,
            }
            // Feed each piece at once: the kernel fetches the next few kilobytes meanwhile. Collecting a turn's worth first
            // costs a third of the speed.
            self.process_read().await;
        }
        if taken > 0 {
            self.terminal.note_output();
        }
        is_over(taken)
    }

    /// Reads output into the journal, while that has room, for an engine that is not rebuilt yet.
    pub(crate) async fn read_ahead(&mut self) -> Infallible {
        while !self.journal.wants_checkpoint() {
            self.terminal.readable().await;
            let journal = &mut self.journal;
            match self.terminal.watched().try_io(Interest::READABLE, |pty| Ok(journal.read_from(pty)?)) {
                Ok(count) if count > 0 => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
        std::future::pending().await
    }

    /// Feeds the engine the output that was read, and carries out its effects.
    async fn process_read(&mut self) {
        let (end, ms) = (self.journal.output_len(), now_ms());
        if self.vt.seq() >= end {
            return;
        }
        while self.vt.seq() < end {
            let began = Instant::now();
            self.process_until(end.min(self.vt.seq() + self.portion.size() as u64), ms, None);
            if self.portion.took(began.elapsed()) {
                tokio::task::yield_now().await;
            }
        }
        self.recording.output(self.at(ms), Instant::now());
    }

    /// Watches the terminal for readiness, unless there is more to read anyway.
    pub(super) fn watch_unless(&mut self, more: bool) {
        self.terminal.watch_unless(more);
        // An unwatched terminal does not report room for input.
        if more && self.typing.wants_room() {
            self.push_input();
        }
    }

    /// Feeds the engine up to `to`, and carries out its effects. `noted`: in a replay, what the journal says about the marks.
    pub(super) fn process_until(&mut self, to: u64, ms: u64, noted: Option<&NotedMarks>) {
        let (from, now) = (self.vt.seq(), Instant::now());
        if self.drawing.is_settled(now) {
            self.vt.settle();
        }
        self.vt.feed(self.journal.output(from, to));
        self.drawing.output(now, self.vt.modes().synchronized);
        self.viewers.changed(now);
        let (mut replies, mut genuine, mut job) = (Vec::new(), Vec::new(), None);
        for effect in self.vt.take_effects() {
            match effect.kind {
                EffectKind::Reply(bytes) if effect.seq > self.replied => replies.extend(bytes),
                EffectKind::Bell => self.viewers.bell(now),
                EffectKind::Mark(mark) => {
                    let Some(nonce) = &self.meta.nonce else { continue };
                    let (seq, stamp) = (effect.seq, mark.stamp);
                    let erased = || noted.is_some_and(|noted| noted.genuine.contains(&seq));
                    let read = read_mark(&mark, nonce);
                    let read = read.or_else(|| read_erased_mark(&mark, nonce).filter(|_| erased()));
                    let Some((mark, position)) = read else { continue };
                    genuine.push(seq);
                    let job = *job.get_or_insert_with(|| match noted {
                        Some(noted) => noted.job,
                        None => !self.program().leads(),
                    });
                    let at = Moment { position, seq, stamp, ms };
                    for (mark, at) in self.doubts.admit(mark, at, job, now) {
                        self.shell_marked(mark, at);
                    }
                }
                EffectKind::Image { kind, size, .. } => self.readers.image(effect.seq, kind, size),
                EffectKind::Directory(directory) => self.commands.moved(directory),
                EffectKind::Resize(size) => {
                    // The program chose this size; the kernel notifies the other programs in the terminal.
                    let size = WindowSize { cols: size.cols, rows: size.rows };
                    let _ = self.terminal.pty().resize(size);
                }
                _ => {}
            }
        }
        let seq = self.vt.seq();
        self.note_marks(genuine, job.unwrap_or_default(), ms, noted);
        if !replies.is_empty() {
            self.reply(&replies, seq);
        }
    }

    /// Records where the shell's marks end, and then erases their nonce from the output.
    fn note_marks(&mut self, mut genuine: Vec<u64>, job: bool, ms: u64, noted: Option<&NotedMarks>) {
        let seq = self.vt.seq();
        let Some(nonce) = self.meta.nonce.as_ref().filter(|_| !genuine.is_empty()) else { return };
        if seq > self.noted {
            let what = RecordKind::Marked { at: ms, genuine: genuine.clone(), job };
            if self.journal.record(&Record { seq, what }).is_err() {
                genuine.clear();
            }
        } else {
            // A replay finds erased marks only if the journal lists them.
            genuine.retain(|seq| noted.is_some_and(|noted| noted.genuine.contains(seq)));
        }
        genuine.into_iter().for_each(|end| self.journal.erase_nonce(end, nonce));
    }

    /// Believes the marks that were held back, once the shell itself waits for input and has written nothing more.
    pub(super) fn settle_doubts(&mut self) {
        if !self.doubts.any() {
            return;
        }
        let program = self.program();
        if program.leads() && program.waits_for_input() == Some(true) && !program.unread_output() {
            for (mark, at) in self.doubts.believe() {
                self.shell_marked(mark, at);
            }
        }
    }

    /// Notes a mark, or answers the shell's hook. A question that the previous daemon answered is answered again: the answer
    /// carries the question's id, so a duplicate does no harm, but a missing one would block the shell.
    fn shell_marked(&mut self, mark: ShellMark, at: Moment) {
        let ShellMark::Ask(question) = mark else {
            self.gate.went_on();
            self.commands.marked(&mark, at);
            let index = self.journal.index_len();
            return self.recording.command(&self.commands, at, index, Instant::now());
        };
        let (line, verdict) = self.gate.answer(&question, at.seq > self.noted);
        self.commands.asked(line);
        if let Verdict::Deny { reason } = &verdict {
            self.commands.denied(reason);
        }
    }

    /// Answers the shell's last question again, in case the previous daemon did not.
    pub(crate) fn answer_again(&self) {
        self.gate.answer_again();
    }

    /// Queues a reply to the program. It is recorded first, so that the program gets it once.
    fn reply(&mut self, bytes: &[u8], seq: u64) {
        let Ok(to) = self.typing.stage(bytes) else { return };
        if self.journal.record(&Record { seq, what: RecordKind::Replied { to } }).is_ok() {
            self.typing.accept(to);
            self.push_input();
        }
    }

    /// Writes queued input, as much as the terminal accepts now.
    pub(crate) fn push_input(&mut self) {
        self.typing.push(self.terminal.watched(), Instant::now());
    }

    /// The writer thread has finished a job of the recording.
    pub(super) fn recorded(&mut self, written: Option<Written>) {
        self.recording.landed(written, &self.journal, &self.commands, &self.typing, Instant::now());
    }

    /// Waits briefly for the recording: the ring is about to overwrite output that is not on disk yet.
    async fn let_recording_catch_up(&mut self) {
        if let Some(written) = self.recording.catch_up(self.vt.seq()).await {
            self.recorded(written);
            self.recording.turn(&self.journal, &self.vt, Instant::now(), now_ms());
        }
    }
}
