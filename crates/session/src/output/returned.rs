//! Output that `run` returned to a reader is not new to it. Unread output from before that still is.

use cotty_vt::{Line, LineId, Position};
use serde::{Deserialize, Serialize};

use super::readers::ReadPosition;
use super::screen::Screen;
use crate::commands::{Command, Moment, Phase};

/// Most answers of `run`, with unread output between them, that are remembered for a reader. Older ones are returned again,
/// so nothing is lost.
const ANSWERS: usize = 32;

/// What a reader knows from an answer of `run`: the text between two positions, and lines elsewhere whose last change was
/// between two seqs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) from: Position,
    pub(crate) to: Position,
    pub(crate) since: u64,
    pub(crate) until: u64,
}

impl Answered {
    pub(crate) fn span(&self) -> (Position, Position) {
        (self.from, self.to)
    }

    pub(crate) fn seqs(&self) -> (u64, u64) {
        (self.since, self.until)
    }

    pub(crate) fn includes(&self, stamp: u64) -> bool {
        self.since < stamp && stamp <= self.until
    }
}

impl Screen<'_> {
    /// Where a reader at `place` is after `run` returned a command's output to it. `None` if the answer had nothing of the
    /// screen.
    pub(crate) fn answered(&self, command: &Command, mut place: ReadPosition) -> Option<ReadPosition> {
        // An answer of `run` does not include the alternate screen.
        if self.vt.modes().alt_screen {
            return None;
        }
        let typed = command.typed?;
        let (end, seq) = self.answered_to(command);
        let started = command.started.unwrap_or(typed);
        // If the command moved the cursor up, the answer still covers the typed line, up to the command's start.
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

    /// Whether this reader has unread output from before a `run`: up to where its command was typed, or elsewhere.
    fn is_unread_before(&self, typed: Moment, place: &ReadPosition) -> bool {
        let at = place.spot.position;
        let (to, seq) =
            place.answered.last().map_or((at, place.seq), |answered| (answered.to, answered.until));
        let unread = |line: &Line| {
            let elsewhere = line.id != to.line && line.id != typed.position.line;
            elsewhere && line.stamp <= typed.seq && !line.text.is_empty()
        };
        self.has_text(to, typed.position) || self.lines_since(seq).iter().any(unread)
    }

    /// Where the answer of a `run` ends, and at which seq: after the prompt, if there is no other output before or after it.
    fn answered_to(&self, command: &Command) -> (Position, u64) {
        let shown = (self.vt.shown_position(), self.vt.shown_seq());
        let Some(ended) = command.ended else { return shown };
        let newest = self.commands.last_ended().is_some_and(|last| std::ptr::eq(last, command));
        match (self.commands.phase(), self.commands.prompt_began()) {
            (Phase::Prompt(prompt), Some(began)) if newest && !self.has_text(ended.position, began) => {
                match self.has_text(prompt.position, shown.0) {
                    true => (prompt.position, prompt.seq),
                    false => shown,
                }
            }
            _ => (ended.position, ended.seq),
        }
    }
}

/// Whether a position is inside a span.
pub(super) fn is_within((from, to): (Position, Position), at: Position) -> bool {
    place(from) <= place(at) && place(at) < place(to)
}

fn later(one: Position, other: Position) -> Position {
    if place(one) < place(other) { other } else { one }
}

fn place(position: Position) -> (LineId, u32) {
    (position.line, position.cell)
}
