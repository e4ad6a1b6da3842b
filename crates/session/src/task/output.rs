//! What the program says: read from the terminal, fed to the engine, and what the engine asks for done.

use std::convert::Infallible;
use std::io;
use std::time::Instant;

use cotty_pty::WindowSize;
use cotty_vt::EffectKind;
use tokio::io::Interest;

use super::Task;
use crate::Verdict;
use crate::commands::Moment;
use crate::durable::journal::disk::Written;
use crate::durable::journal::{Record, RecordKind};
use crate::hub::meta::now_ms;
use crate::shell::{ShellMark, read_mark};

/// Output taken at a turn, so that one busy session starves nobody.
const TURN: usize = 64 * 1024;

impl Task {
    /// Whoever reads sees what the program said before.
    pub(super) async fn drain_before_read(&mut self) {
        self.drain().await;
        let _ = self.make_room().await;
    }

    /// Reads what is there, at most a turn's worth. `true`: there may be more.
    pub(crate) async fn drain(&mut self) -> bool {
        let mut taken = 0;
        while taken < TURN {
            if self.make_room().await.is_err() {
                // Without a keeper nothing is kept, but the session goes on as long as it can.
                self.journal.checkpointed(self.vt.seq(), self.journal.index_len());
            }
            if self.recording.is_behind(&self.journal, self.vt.seq()) {
                self.let_recording_catch_up().await;
            }
            match self.terminal.read(&mut self.journal) {
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count,
            }
            // At once, piece by piece: the kernel fetches the next few kilobytes meanwhile. To gather a turn's worth first and
            // feed it whole costs a third of the speed.
            self.process_read();
        }
        if taken > 0 {
            self.terminal.said_something();
        }
        taken >= TURN
    }

    /// Takes what the terminal says as far as there is room in the journal, for an engine that is still to be rebuilt.
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

    /// Feeds the engine what was read, and does what it asks for.
    fn process_read(&mut self) {
        if self.journal.output_len() > self.vt.seq() {
            let ms = now_ms();
            self.process_until(self.journal.output_len(), ms);
            self.recording.output(self.at(ms), Instant::now());
        }
    }

    /// A program that prints without end needs no watching; one that has paused does.
    pub(super) fn watch_unless(&mut self, more: bool) {
        self.terminal.watch_unless(more);
        // Nobody tells of room for input now.
        if more && self.typing.wants_room() {
            self.push_input();
        }
    }

    /// Feeds the engine up to here, and does what it asks for.
    pub(super) fn process_until(&mut self, to: u64, ms: u64) {
        let (from, now) = (self.vt.seq(), Instant::now());
        if self.drawing.is_settled(now) {
            self.vt.settle();
        }
        self.vt.feed(self.journal.output(from, to));
        self.drawing.output(now, self.vt.modes().synchronized);
        self.viewers.changed(now);
        let (mut owed, mut marked) = (Vec::new(), false);
        for effect in self.vt.take_effects() {
            match effect.kind {
                EffectKind::Reply(bytes) if effect.seq > self.replied => owed.extend(bytes),
                EffectKind::Bell => self.viewers.bell(now),
                EffectKind::Mark(mark) => {
                    let Some(nonce) = &self.meta.nonce else { continue };
                    let stamp = mark.stamp;
                    let Some((mark, position)) = read_mark(&mark, nonce) else { continue };
                    marked = true;
                    self.shell_said(mark, Moment { position, seq: effect.seq, stamp, ms });
                }
                EffectKind::Image { kind, size, .. } => self.readers.image(effect.seq, kind, size),
                EffectKind::Directory(directory) => self.commands.moved(directory),
                EffectKind::Resize(size) => {
                    // What the program chose; the kernel tells its other programs.
                    let size = WindowSize { cols: size.cols, rows: size.rows };
                    let _ = self.terminal.pty().resize(size);
                }
                _ => {}
            }
        }
        let seq = self.vt.seq();
        if marked && seq > self.noted {
            let _ = self.journal.record(&Record { seq, what: RecordKind::Marked { at: ms } });
        }
        if !owed.is_empty() {
            self.reply(&owed, seq);
        }
    }

    /// Notes a mark, and answers the shell's question. An answer that came from the daemon before us is given again:
    /// it carries the question's id, so a second one does no harm, and none at all would hold the shell up.
    fn shell_said(&mut self, mark: ShellMark, at: Moment) {
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

    /// Answers a question of the shell once more, where the daemon before us may not have.
    pub(crate) fn answer_again(&self) {
        self.gate.answer_again();
    }

    /// Queues bytes that the program is owed: written down first, so that they come once.
    fn reply(&mut self, bytes: &[u8], seq: u64) {
        let Ok(to) = self.typing.stage(bytes) else { return };
        if self.journal.record(&Record { seq, what: RecordKind::Replied { to } }).is_ok() {
            self.typing.accept(to);
            self.push_input();
        }
    }

    /// Gives the program what its terminal takes now.
    pub(crate) fn push_input(&mut self) {
        self.typing.push(self.terminal.watched(), Instant::now());
    }

    /// The writing thread is done with a piece of the recording.
    pub(super) fn recorded(&mut self, written: Option<Written>) {
        self.recording.landed(written, &self.journal, &self.commands, &self.typing, Instant::now());
    }

    /// The ring is about to overwrite what is not written, though the disk works: it gets a moment.
    async fn let_recording_catch_up(&mut self) {
        if let Some(written) = self.recording.catch_up(self.vt.seq()).await {
            self.recorded(written);
            self.recording.turn(&self.journal, &self.vt, Instant::now(), now_ms());
        }
    }
}
