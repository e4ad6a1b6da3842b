//! What `run` has answered to a reader is not new to it. What came before and was not read still is.

use cotty_vt::{Line, LineId, Position};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::SessionError;
use crate::commands::{Command, Moment, Phase};
use crate::durable::journal::{Record, What};
use crate::handle::RunResult;
use crate::output::{Place, hash};
use crate::task::Task;

/// Answers between which something is unread that a reader's place knows of; older ones are given again, which loses nothing.
const ANSWERS: usize = 32;

/// What a reader knows from an answer of `run`: the text from here to there, and lines elsewhere that were changed last
/// between those two points of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) from: Position,
    pub(crate) to: Position,
    pub(crate) since: u64,
    pub(crate) until: u64,
}

impl Answered {
    pub(crate) fn stretch(&self) -> (Position, Position) {
        (self.from, self.to)
    }

    pub(crate) fn told(&self) -> (u64, u64) {
        (self.since, self.until)
    }

    pub(crate) fn has_told(&self, stamp: u64) -> bool {
        self.since < stamp && stamp <= self.until
    }
}

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
        let mut result = self.run_result(run);
        // Who has gone is told nothing.
        if result.is_ok() && !reply.is_closed() {
            self.note_answered(reader, run);
            if let Ok(result) = &mut result {
                result.lost = self.told_lost.news(self.saved.lost.as_ref(), reader);
            }
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
        let request = hash(run);
        let known = self.saved.readers.get(reader).and_then(|known| known.before_request(request));
        let begin = || Place { seq: 0, spot: self.spot(self.first()), answered: Vec::new() };
        let mut place = known.unwrap_or_else(begin);
        let started = command.started.unwrap_or(typed);
        // A command that moved the cursor up has told what it wrote, but the line itself goes to its start.
        let to = later(started.position, end);
        match (self.is_unread_before(typed, &place), place.answered.last_mut()) {
            (false, None) => place = Place { seq, spot: self.spot(end), answered: Vec::new() },
            (false, Some(before)) => (before.to, before.until) = (later(before.to, to), seq),
            (true, _) => {
                if place.answered.len() == ANSWERS {
                    place.answered.remove(0);
                }
                place.answered.push(Answered { from: typed.position, to, since: started.seq, until: seq });
            }
        }
        self.put_reader(reader, place, request);
    }

    /// Whether anything came before a `run` that this reader has not read: up to where it was typed, or elsewhere.
    fn is_unread_before(&self, typed: Moment, place: &Place) -> bool {
        let at = place.spot.position;
        let (to, seq) =
            place.answered.last().map_or((at, place.seq), |answered| (answered.to, answered.until));
        let unread = |line: &Line| {
            let elsewhere = line.id != to.line && line.id != typed.position.line;
            elsewhere && line.stamp <= typed.seq && !line.text.is_empty()
        };
        self.says_anything(to, typed.position) || self.lines_without_echo(seq).iter().any(unread)
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
pub(crate) fn is_within((from, to): (Position, Position), at: Position) -> bool {
    place(from) <= place(at) && place(at) < place(to)
}

fn later(one: Position, other: Position) -> Position {
    if place(one) < place(other) { other } else { one }
}

fn place(position: Position) -> (LineId, u32) {
    (position.line, position.cell)
}
