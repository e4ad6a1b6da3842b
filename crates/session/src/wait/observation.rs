//! What can be seen of a session at a moment: its screen, what its shell marked, what was typed, and what the kernel knows.

use std::time::{Duration, Instant};

use cotty_pty::facts::LineMode;
use cotty_vt::Vt;
use regex::Regex;

use crate::commands::{Commands, Phase};
use crate::input::typed::TypedLines;
use crate::input::unread::Unread;
use crate::wait::facts::Facts;

/// Where the kernel does not tell what a shell waits for: how long it may take to show a key.
const ECHO_ARRIVES: Duration = Duration::from_millis(100);

/// A session at a moment. What is decided from it (what the program does, whether the shell waits, whether a line has
/// been started) is decided here, and nowhere else.
pub(crate) struct Observation<'a, F> {
    pub(crate) now: Instant,
    pub(crate) vt: &'a Vt,
    pub(crate) commands: &'a Commands,
    pub(crate) typed: &'a TypedLines,
    /// What of it the shell may not have read.
    pub(crate) unread: Unread,
    pub(crate) last_typed: Option<Instant>,
    pub(crate) last_output: Option<Instant>,
    /// Whether the program has ended.
    pub(crate) ended: bool,
    /// Whether the shell marks its prompts and commands.
    pub(crate) marks: bool,
    /// What a prompt looks like where nothing is marked.
    pub(crate) prompt_pattern: &'a Regex,
    /// Whether that was given for this session: then it decides alone.
    pub(crate) own_pattern: bool,
    pub(crate) facts: F,
}

impl<F: Facts> Observation<'_, F> {
    pub(super) fn at_prompt(&self) -> bool {
        matches!(self.commands.phase(), Phase::Prompt(_))
    }

    pub(super) fn line_mode(&self) -> Option<LineMode> {
        self.facts.line_mode()
    }

    /// Whether the program takes keys one by one.
    pub(super) fn takes_keys(&self) -> bool {
        self.line_mode().is_some_and(|mode| !mode.canonical)
    }

    /// Whether the program takes keys one by one and shows them itself.
    pub(super) fn edits_a_line(&self) -> bool {
        self.line_mode().is_some_and(|mode| !mode.canonical && !mode.echo)
    }

    /// The row of the cursor up to the cursor, with the blanks that a prompt may end with.
    pub(super) fn row_to_cursor(&self) -> String {
        let cursor = self.vt.cursor();
        let row = self.vt.row_text(cursor.row);
        row.chars().chain(std::iter::repeat(' ')).take(usize::from(cursor.col)).collect()
    }

    /// Whether all that the program has said is known here. To be asked after what it waits for: that is as of now, and
    /// what is still to be read may be the prompt.
    pub(super) fn is_up_to_date(&self) -> bool {
        !self.facts.unread_output()
    }

    /// To be asked before what the program waits for: one that takes it after that look was seen waiting for it.
    pub(super) fn has_taken_input(&self) -> bool {
        !self.facts.queued() && self.facts.unread_input() == Some(0)
    }

    /// Whether the program that has the terminal has taken all that was typed and waits for more.
    pub(crate) fn shell_reads(&self) -> bool {
        let shown = || self.last_typed.is_none_or(|at| self.since(at) >= ECHO_ARRIVES);
        // In this order: what is taken after the first look is seen by the second, and what it says by the third.
        !self.facts.queued()
            && self.facts.unread_input().unwrap_or(0) == 0
            && self.facts.waits_for_input().unwrap_or_else(shown)
            && self.is_up_to_date()
    }

    pub(super) fn since(&self, at: Instant) -> Duration {
        self.now.saturating_duration_since(at)
    }
}
