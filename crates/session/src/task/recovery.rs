//! How a session outlives its daemon: the keeper holds a checkpoint, and the next daemon replays the rest of the journal.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::Instant;

use cotty_pty::WindowSize;
use cotty_vt::Size;

use super::Task;
use super::output::NotedMarks;
use crate::SessionError;
use crate::durable::checkpoint::{Checkpoint, DAMAGED, Lost, Rebuild, Saved, slot};
use crate::durable::journal::{Record, RecordKind};
use crate::hub::meta::now_ms;

impl Task {
    /// Gives the keeper a checkpoint of everything up to now. Only then may the journal overwrite what it covers.
    pub(crate) async fn checkpoint(&mut self) -> Result<(), SessionError> {
        let (output, index) = (self.vt.seq(), self.journal.index_len());
        let covers = (output, index, self.typing.end());
        let fd = Checkpoint::write(covers, &self.saved(), &self.vt.state())?;
        self.link.put(self.meta.id.as_bytes(), slot::STATE, fd).await?;
        self.journal.checkpointed(output, index);
        Ok(())
    }

    fn saved(&self) -> Saved<'_> {
        Saved {
            commands: Cow::Borrowed(&self.commands),
            typed: Cow::Borrowed(self.typing.state()),
            readers: Cow::Borrowed(self.readers.places()),
            asked: Cow::Borrowed(self.gate.asked()),
            keyboard: Cow::Borrowed(&self.keyboard),
            fit: Cow::Borrowed(&self.fit),
            captures: Cow::Borrowed(self.recording.captures()),
            requests: Cow::Borrowed(self.handoff.requests()),
            lost: Cow::Borrowed(&self.lost),
        }
    }

    fn restore(&mut self, saved: Saved<'_>) {
        self.commands = saved.commands.into_owned();
        self.typing.restore(saved.typed.into_owned());
        self.readers.restore(saved.readers.into_owned());
        self.gate.restore(saved.asked.into_owned());
        self.keyboard = saved.keyboard.into_owned();
        self.fit = saved.fit.into_owned();
        self.recording.restore(saved.captures.into_owned());
        self.handoff.restore(saved.requests.into_owned());
        self.lost = saved.lost.into_owned();
    }

    /// Brings a new task to the state of the previous daemon, and on to the last byte that was read. Returns whether anything
    /// was lost.
    pub(crate) fn replay(&mut self, state: Option<&OwnedFd>, how: Rebuild, mut lost: Vec<String>) -> bool {
        let (output, mut index) = self.journal.covered();
        let checkpoint = match (how, state) {
            (Rebuild::Whole, Some(state)) => Checkpoint::read(state, &mut lost),
            (Rebuild::Whole, None) if output == 0 && index == 0 => None,
            (Rebuild::Whole, None) => {
                lost.push("the checkpoint: the keeper does not have it".to_owned());
                None
            }
            (Rebuild::Journal | Rebuild::Nothing, _) => None,
        };
        let sound = checkpoint.filter(|checkpoint| checkpoint.agrees_with(&self.journal));
        if sound.is_none() && lost.is_empty() && state.is_some() && how == Rebuild::Whole {
            lost.push(format!("the checkpoint: {DAMAGED}"));
        }
        let mut begins = 0;
        let (mut saved, has_engine) = match sound {
            Some(Checkpoint { head, saved, engine }) => {
                if !self.typing.accept_again(head.input) {
                    lost.push(format!("unread input: its count: {DAMAGED}"));
                }
                index = head.index;
                (saved.unwrap_or_default(), engine.map(|engine| self.vt = engine).is_some())
            }
            None => (Saved::default(), how == Rebuild::Whole && lost.is_empty()),
        };
        if how == Rebuild::Nothing {
            index = self.journal.index_len();
        }
        if !has_engine {
            begins = match how {
                Rebuild::Nothing => self.journal.output_len(),
                Rebuild::Whole | Rebuild::Journal => self.first_line_held(),
            };
            self.begin_at(begins);
            saved = saved.without_places(self.screen().spot(self.vt.position()));
        } else if self.vt.seq() < self.journal.oldest() {
            if lost.is_empty() {
                lost.push("some output: the journal that held it was lost or overwritten".to_owned());
            }
            self.skip_to(self.journal.oldest());
        }
        if self.journal.first_record(index) != index {
            lost.push("records of input and reads: they were overwritten".to_owned());
            index = self.journal.first_record(index);
        }
        self.restore(saved);
        // Queries from before the checkpoint are not answered again, though they may be replayed.
        let covered = self.vt.seq().max(output);
        self.journal.checkpointed(covered, index);
        self.typing.reconcile();
        self.replay_from(index, covered, &mut lost);
        self.typing.reconcile();
        if lost.is_empty() {
            return false;
        }
        let session = self.meta.id.as_str();
        tracing::error!(session, lost = lost.join("; "), "history was lost; the program keeps running");
        self.lost = Some(Lost { at_ms: now_ms(), before_seq: begins, what: lost });
        true
    }

    /// Starts an empty engine at `seq`.
    fn begin_at(&mut self, seq: u64) {
        if let Ok(size) = self.terminal.pty().size()
            && size.cols > 0
            && size.rows > 0
        {
            self.vt.resize(Size { cols: size.cols, rows: size.rows });
        }
        self.vt.count_from(seq);
    }

    /// Continues after a gap: the next output must not complete a sequence or a line that began before it.
    fn skip_to(&mut self, seq: u64) {
        let end: &[u8] = if self.vt.modes().alt_screen { b"\x18" } else { b"\x18\r\n" };
        self.vt.count_from(seq.saturating_sub(end.len() as u64));
        self.vt.feed(end);
    }

    /// The start of the first whole line that the journal still holds.
    fn first_line_held(&self) -> u64 {
        let (oldest, end) = (self.journal.oldest(), self.journal.output_len());
        if oldest == 0 {
            return 0;
        }
        let held = self.journal.output(oldest, end);
        held.iter().position(|&byte| byte == b'\n').map_or(end, |at| oldest + at as u64 + 1)
    }

    fn replay_from(&mut self, index: u64, covered: u64, lost: &mut Vec<String>) {
        let found = self.journal.records(index);
        let unreadable = found.unreadable;
        if unreadable > 0 {
            lost.push(format!("{unreadable} records of input and reads: they could not be decoded"));
        }
        let records: Vec<Record> = found.records.into_iter().map(|(_, record)| record).collect();
        let end = self.journal.output_len();
        // Queries up to the last recorded answer are not answered again; later ones are.
        let last = |of: fn(&RecordKind) -> bool| records.iter().filter(|r| of(&r.what)).map(|r| r.seq).max();
        self.replied = last(|w| matches!(w, RecordKind::Replied { .. })).unwrap_or(covered);
        self.noted = last(|w| matches!(w, RecordKind::Marked { .. })).unwrap_or(covered);
        if unreadable > 0 {
            // The unreadable records may have been answers. To answer nothing twice, nothing is answered.
            (self.replied, self.noted) = (end, end);
        }
        let mut noted: VecDeque<(u64, NotedMarks)> = records
            .iter()
            .filter_map(|record| match &record.what {
                RecordKind::Marked { at, genuine, job } => {
                    Some((record.seq, NotedMarks { at: *at, genuine: genuine.clone(), job: *job }))
                }
                _ => None,
            })
            .collect();
        for record in records {
            self.replay_output(record.seq, &mut noted);
            let ms = noted.front().map_or_else(now_ms, |(_, marks)| marks.at);
            self.apply(&record.what, ms);
        }
        self.replay_output(end, &mut noted);
        self.drawing.restored(Instant::now(), self.vt.modes().synchronized);
    }

    /// Feeds the engine up to `to`, in pieces that end where marks were recorded, so that each mark gets its own time.
    fn replay_output(&mut self, to: u64, noted: &mut VecDeque<(u64, NotedMarks)>) {
        while self.vt.seq() < to {
            while noted.front().is_some_and(|(seq, _)| *seq <= self.vt.seq()) {
                noted.pop_front();
            }
            match noted.front() {
                Some((seq, marks)) => self.process_until(to.min(*seq), marks.at, Some(marks)),
                // The last daemon did not process this, so the kernel is asked.
                None => self.process_until(to, now_ms(), None),
            }
        }
    }

    /// Ends the replay. `adopted`: an earlier daemon served this session.
    pub(crate) fn go_live(&mut self, adopted: bool) {
        let at = self.at(now_ms());
        self.recording.go_live(at, adopted, Instant::now());
    }

    /// Sets the kernel's window size to that of the rebuilt engine.
    pub(crate) fn agree_on_size(&self) -> Result<(), SessionError> {
        let (size, kernel) = (self.vt.size(), self.terminal.pty().size()?);
        if (kernel.cols, kernel.rows) != (size.cols, size.rows) {
            self.terminal.pty().resize(WindowSize { cols: size.cols, rows: size.rows })?;
        }
        Ok(())
    }
}
