//! A session at one moment: its screen, its shell's marks, its typed input, and what the kernel knows.

use std::time::{Duration, Instant};

use cotty_pty::facts::LineMode;
use cotty_vt::Vt;
use regex::Regex;

use crate::commands::{Commands, Phase};
use crate::input::typed::TypedLines;
use crate::input::unread::Unread;
use crate::wait::facts::Facts;

/// How long a shell may take to echo a key, if the kernel cannot tell what it waits for.
const ECHO_ARRIVES: Duration = Duration::from_millis(100);

/// A session at one moment. Only this type decides what the program does, whether the shell waits, and whether a line has
/// been started.
pub(crate) struct Observation<'a, F> {
    pub(crate) now: Instant,
    pub(crate) vt: &'a Vt,
    pub(crate) commands: &'a Commands,
    pub(crate) typed: &'a TypedLines,
    /// Input that the shell may not have read.
    pub(crate) unread: Unread,
    pub(crate) last_typed: Option<Instant>,
    pub(crate) last_output: Option<Instant>,
    /// Whether the program has ended.
    pub(crate) ended: bool,
    /// Whether the shell marks its prompts and commands.
    pub(crate) marks: bool,
    /// What a prompt looks like if there are no marks.
    pub(crate) prompt_pattern: &'a Regex,
    /// Whether the pattern was given for this session: then it decides alone.
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

    /// Whether the program reads keys one by one.
    pub(super) fn takes_keys(&self) -> bool {
        self.line_mode().is_some_and(|mode| !mode.canonical)
    }

    /// Whether the program reads keys one by one and echoes them itself.
    pub(super) fn edits_a_line(&self) -> bool {
        self.line_mode().is_some_and(|mode| !mode.canonical && !mode.echo)
    }

    /// The cursor's row up to the cursor, with the blanks that a prompt may end with.
    pub(super) fn row_to_cursor(&self) -> String {
        let cursor = self.vt.cursor();
        let row = self.vt.row_text(cursor.row);
        row.chars().chain(std::iter::repeat(' ')).take(usize::from(cursor.col)).collect()
    }

    /// Whether all output of the program was read. To be called after the check of what the program waits for: output that is
    /// not read yet may be the prompt.
    pub(super) fn is_up_to_date(&self) -> bool {
        !self.facts.unread_output()
    }

    /// Whether the program has read all input. To be called before the check of what the program waits for: otherwise a
    /// program that reads the input in between would seem to wait for more.
    pub(super) fn has_taken_input(&self) -> bool {
        !self.facts.queued() && self.facts.unread_input() == Some(0)
    }

    /// Whether the program in the foreground has read all input and waits for more.
    pub(crate) fn shell_reads(&self) -> bool {
        let shown = || self.last_typed.is_none_or(|at| self.since(at) >= ECHO_ARRIVES);
        // The order matters: input that is read after one check, and output written then, is seen by the next.
        !self.facts.queued()
            && self.facts.unread_input().unwrap_or(0) == 0
            && self.facts.waits_for_input().unwrap_or_else(shown)
            && self.is_up_to_date()
    }

    pub(super) fn since(&self, at: Instant) -> Duration {
        self.now.saturating_duration_since(at)
    }
}
