//! What `run` has answered to a reader is not new to it. What came before and was not read still is.

use cotty_vt::{LineId, Position};
use tokio::sync::oneshot;

use crate::SessionError;
use crate::commands::{Command, Moment, Phase};
use crate::journal::{Record, What};
use crate::reading::{Place, hash};
use crate::session::RunResult;
use crate::task::Task;

/// What was answered, from here to there.
pub(crate) type Stretch = (Position, Position);

/// Stretches between which something is unread that a reader's place knows of; older ones are given again, which loses nothing.
const STRETCHES: usize = 32;

impl Task {
    /// Tells a reader what the command of a `run` said so far, and notes that it did.
    pub(crate) async fn answer_run(
        &mut self,
        run: &str,
        reader: &str,
        reply: oneshot::Sender<Result<RunResult, SessionError>>,
    ) {
        if self.hot.wants_checkpoint() {
            let _ = self.checkpoint().await;
        }
        let result = self.run_result(run);
        // Who has gone is told nothing.
        if result.is_ok() && !reply.is_closed() {
            self.note_answered(reader, run);
        }
        let _ = reply.send(result);
    }

    fn note_answered(&mut self, reader: &str, run: &str) {
        let what = What::Answered { reader: reader.to_owned(), run: run.to_owned() };
        // Where it cannot be written down, the next daemon gives this reader more than it needs.
        let _ = self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() });
        self.apply(&what, 0);
    }

    pub(crate) fn apply_answered(&mut self, reader: &str, run: &str) {
        // What a full-screen program shows is in no answer of `run`.
        if self.vt.modes().alt_screen {
            return;
        }
        let Some(command) = self.saved.commands.of_request(run) else { return };
        let Some(typed) = command.typed else { return };
        let (end, seq) = self.answered_to(command);
        // Nor is what a command drew further up, unless it said nothing else.
        let said = |from: Moment| {
            command.ended.is_none_or(|ended| self.says_anything(from.position, ended.position))
        };
        let drew_above = || self.vt.lines_since(typed.seq).iter().any(|line| line.id < typed.position.line);
        if command.started.is_none_or(said) && drew_above() {
            return;
        }
        let request = hash(run);
        let known = self.saved.readers.get(reader).and_then(|known| known.before_request(request));
        let begin = || Place { seq: 0, spot: self.spot(self.first()), answered: Vec::new() };
        let mut place = known.unwrap_or_else(begin);
        let read_to = place.answered.last().map_or(place.spot.position, |(_, to)| *to);
        match (self.says_anything(read_to, typed.position), place.answered.last_mut()) {
            (false, None) => place = Place { seq, spot: self.spot(end), answered: Vec::new() },
            (false, Some((_, to))) => *to = end,
            (true, _) => {
                if place.answered.len() == STRETCHES {
                    place.answered.remove(0);
                }
                place.answered.push((typed.position, end));
            }
        }
        self.put_reader(reader, place, request);
    }

    /// How far the answer to a `run` goes, and after how much output: past the prompt, which says nothing, where nobody said
    /// anything before or behind it.
    fn answered_to(&self, command: &Command) -> (Position, u64) {
        let shown = (self.vt.shown_position(), self.vt.shown_seq());
        let Some(ended) = command.ended else { return shown };
        let commands = &self.saved.commands;
        let newest = commands.last_ended().is_some_and(|last| std::ptr::eq(last, command));
        match (commands.phase(), commands.prompt_began()) {
            (Phase::Prompt(prompt), Some(began)) if newest && !self.says_anything(ended.position, began) => {
                match self.says_anything(prompt.position, shown.0) {
                    true => (prompt.position, prompt.seq),
                    false => shown,
                }
            }
            _ => (ended.position, ended.seq),
        }
    }

    fn says_anything(&self, from: Position, to: Position) -> bool {
        !self.vt.text_between(from, to).text.trim().is_empty()
    }
}

/// Whether a position stands in a stretch.
pub(crate) fn is_within((from, to): Stretch, at: Position) -> bool {
    let place = |position: Position| -> (LineId, u32) { (position.line, position.cell) };
    place(from) <= place(at) && place(at) < place(to)
}
