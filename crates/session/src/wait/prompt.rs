//! Whether the shell, or a program with a prompt, waits for a line, and whether a line has been started.

use std::time::{Duration, Instant};

use super::observation::Observation;
use crate::commands::{Moment, Phase};
use crate::input::unread::Unread;
use crate::wait::facts::Facts;

/// How long to wait for a shell that is about to show its prompt.
pub(crate) const PROMPT_COMES: Duration = Duration::from_secs(2);
/// How long a program may take to end after input that may end it.
const EXIT_TIME: Duration = Duration::from_millis(500);

/// A prompt that waits for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// The seq when it appeared.
    pub(crate) seq: u64,
    /// Recognized by its look, not by a mark.
    pub(crate) guessed: bool,
}

impl<F: Facts> Observation<'_, F> {
    /// The prompt that waits for a line. A line that is typed after it makes it outdated, even before the program reacts.
    pub(crate) fn prompt(&self) -> Option<Prompt> {
        let prompt = match self.commands.phase() {
            _ if self.own_pattern => self.guessed_prompt()?,
            Phase::Prompt(_) if self.marks && self.lines_unread() => return None,
            Phase::Prompt(at) if self.marks => Prompt { seq: at.seq, guessed: false },
            // A shell's marks are trusted, unless it edits a line without having marked a prompt: then it has lost its marks.
            // A program inside it, or without marks, is judged by its look, if it reads: a busy one may look like anything.
            _ if self.marks && !self.edits_a_line() && self.shell_has_the_terminal() => return None,
            _ => self.guessed_prompt().filter(|_| self.may_read())?,
        };
        self.typed.last_line().is_none_or(|line| prompt.seq > line.seq).then_some(prompt)
    }

    /// Whether the screen looks like a prompt, though the program was not seen reading.
    pub(crate) fn perhaps_prompt(&self) -> bool {
        self.guessed_prompt().is_some() || (self.marks && self.at_prompt())
    }

    fn guessed_prompt(&self) -> Option<Prompt> {
        let line = self.row_to_cursor();
        let matches = !line.trim().is_empty() && self.prompt_pattern.is_match(&line);
        matches.then(|| Prompt { seq: self.vt.seq(), guessed: true })
    }

    /// Whether the shell itself is in the foreground, and was not replaced.
    pub(crate) fn shell_has_the_terminal(&self) -> bool {
        self.facts.leads() && !self.facts.was_replaced()
    }

    /// Whether the shell has marked its prompt and has read all input before that.
    pub(crate) fn shell_waits(&self) -> bool {
        let unread = self.unread != Unread::Nothing || self.facts.queued() || self.commands.awaits_start();
        self.marks && self.at_prompt() && (!unread || self.shell_reads())
    }

    /// Whether there may be a typed line that the shell has not read.
    fn lines_unread(&self) -> bool {
        self.unread == Unread::Lines && !self.shell_reads()
    }

    /// How long the prompt is worth waiting for, if the shell is not at it.
    pub(crate) fn prompt_comes_in(&self) -> Duration {
        let comes = self.commands.phase() != Phase::Running || self.commands.prompt_is_due();
        let leaves = |at: Instant| EXIT_TIME.saturating_sub(self.since(at));
        if comes { PROMPT_COMES } else { self.last_typed.map_or(Duration::ZERO, leaves) }
    }

    /// Whether there is typed text between the prompt and the cursor. Output of a background job there does not count. A
    /// prompt that fills its row leaves the cursor on the next.
    pub(crate) fn line_is_started(&self, prompt: Moment) -> bool {
        let cursor = self.vt.position();
        self.typed_at(prompt)
            && cursor != prompt.position
            && (cursor.line < prompt.position.line
                || !self.vt.text_between(prompt.position, cursor).text.trim().is_empty()
                || cursor.line == prompt.position.line)
    }

    /// Whether a client typed at this prompt, or ahead of it, without Enter, while the command before it ran.
    fn typed_at(&self, prompt: Moment) -> bool {
        let Some(typed) = self.typed.last_typed_seq() else { return false };
        let entered = self.typed.last_line().is_some_and(|line| line.seq == typed);
        let ran = self.commands.newest_first().next().is_none_or(|last| {
            last.started.is_none_or(|started| started.seq <= typed)
                && last.ended.is_none_or(|ended| ended.seq >= typed)
        });
        typed >= prompt.seq || (!entered && ran)
    }
}
