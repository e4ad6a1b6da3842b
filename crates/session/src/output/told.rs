//! What `run` has answered to a reader is not new to it. What came before and was not read still is.

use cotty_vt::{Line, LineId, Position};
use serde::{Deserialize, Serialize};

use super::readers::ReadPosition;
use super::screen::Screen;
use crate::commands::{Command, Moment, Phase};

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

impl Screen<'_> {
    /// Where a reader stands once it was answered what a `run`'s command said so far. It stood at `place`. Nothing where an
    /// answer of `run` has nothing of what is shown.
    pub(crate) fn answered(&self, command: &Command, mut place: ReadPosition) -> Option<ReadPosition> {
        // What a full-screen program shows is in no answer of `run`.
        if self.vt.modes().alt_screen {
            return None;
        }
        let typed = command.typed?;
        let (end, seq) = self.answered_to(command);
        let started = command.started.unwrap_or(typed);
        // A command that moved the cursor up has told what it wrote, but the line itself goes to its start.
        let to = later(started.position, end);
        match (self.is_unread_before(typed, &place), place.answered.last_mut()) {
            (false, None) => place = ReadPosition { seq, spot: self.spot(end), answered: Vec::new() },
            (false, Some(before)) => (before.to, before.until) = (later(before.to, to), seq),
            (true, _) => {
                if place.answered.len() == ANSWERS {
                    place.answered.remove(0);
                }
                place.answered.push(Answered { from: typed.position, to, since: started.seq, until: seq });
            }
        }
        Some(place)
    }

    /// Whether anything came before a `run` that this reader has not read: up to where it was typed, or elsewhere.
    fn is_unread_before(&self, typed: Moment, place: &ReadPosition) -> bool {
        let at = place.spot.position;
        let (to, seq) =
            place.answered.last().map_or((at, place.seq), |answered| (answered.to, answered.until));
        let unread = |line: &Line| {
            let elsewhere = line.id != to.line && line.id != typed.position.line;
            elsewhere && line.stamp <= typed.seq && !line.text.is_empty()
        };
        self.says_anything(to, typed.position) || self.lines_since(seq).iter().any(unread)
    }

    /// How far the answer to a `run` goes, and after how much output: past the prompt, which says nothing, where nobody said
    /// anything before or behind it.
    fn answered_to(&self, command: &Command) -> (Position, u64) {
        let shown = (self.vt.shown_position(), self.vt.shown_seq());
        let Some(ended) = command.ended else { return shown };
        let newest = self.commands.last_ended().is_some_and(|last| std::ptr::eq(last, command));
        match (self.commands.phase(), self.commands.prompt_began()) {
            (Phase::Prompt(prompt), Some(began)) if newest && !self.says_anything(ended.position, began) => {
                match self.says_anything(prompt.position, shown.0) {
                    true => (prompt.position, prompt.seq),
                    false => shown,
                }
            }
            _ => (ended.position, ended.seq),
        }
    }
}

/// Whether a position stands in a stretch.
pub(super) fn is_within((from, to): (Position, Position), at: Position) -> bool {
    place(from) <= place(at) && place(at) < place(to)
}

fn later(one: Position, other: Position) -> Position {
    if place(one) < place(other) { other } else { one }
}

fn place(position: Position) -> (LineId, u32) {
    (position.line, position.cell)
}
