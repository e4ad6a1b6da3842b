//! The list of what a session's shell ran, for whoever asks.

use cotty_vt::{Excerpt, Until};

use crate::commands::{Command, Moment};
use crate::handle::RanBefore;
use crate::hub::meta::now_ms;
use crate::task::Task;

/// The commands of a session.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The newest, oldest of them first.
    pub commands: Vec<RanCommand>,
    /// How many there were in all, with those that are forgotten.
    pub total: u64,
}

/// How far a command came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RanState {
    /// It ended.
    Done,
    /// It runs.
    Running,
    /// The policy did not let it run, for this reason.
    Denied(String),
    /// The shell itself ended.
    Exited,
}

/// One command that a shell ran.
#[derive(Debug, Clone)]
pub struct RanCommand {
    /// Its number in this session; no other will have it.
    pub number: u64,
    /// Its text, where the shell could tell it.
    pub text: Option<String>,
    /// How far it came.
    pub state: RanState,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// When it began, in milliseconds since the epoch.
    pub started_ms: u64,
    /// How long it took, or has taken so far.
    pub duration_ms: u64,
    /// The shell's directory when it began.
    pub directory: Option<String>,
    /// Lines of output that can still be read, and their bytes.
    pub lines: usize,
    /// See `lines`.
    pub bytes: usize,
    /// Lines of output that the limits had dropped.
    pub dropped: u64,
}

impl Task {
    pub(crate) fn commands(&self, limit: usize) -> Ran {
        let numbered = self.saved.commands.numbered();
        let skipped = numbered.len().saturating_sub(limit);
        let total = self.saved.commands.numbered().next_back().map_or(0, |(number, _)| number);
        let commands = numbered.skip(skipped).map(|(number, command)| self.ran(number, command).0).collect();
        Ran { commands, total }
    }

    pub(crate) fn command_output(&self, wanted: u64) -> Option<(RanCommand, String)> {
        let (number, command) = self.saved.commands.numbered().find(|(number, _)| *number == wanted)?;
        Some(self.ran(number, command))
    }

    /// How the last command ended, where the shell waits for the next.
    pub(crate) fn ran_before(&self) -> Option<RanBefore> {
        let command = self.saved.commands.last_ended()?;
        let begun = command.started.or(command.typed).or(command.ended)?.ms;
        let duration_ms = command.ended?.ms.saturating_sub(begun);
        Some(RanBefore { exit_code: command.exit_code, duration_ms })
    }

    fn ran(&self, number: u64, command: &Command) -> (RanCommand, String) {
        let excerpt = self.output_of(command);
        let begun = command.started.or(command.typed).or(command.ended).map_or(0, |m| m.ms);
        let over = command.ended.map(|m| m.ms).or(self.ended.map(|e| e.at_ms)).unwrap_or_else(now_ms);
        let state = match (&command.denied, command.ended, self.ended) {
            (Some(reason), ..) => RanState::Denied(reason.clone()),
            (None, _, Some(_)) if self.saved.commands.is_last_word(command) => RanState::Exited,
            (None, Some(_), _) => RanState::Done,
            (None, None, Some(_)) => RanState::Exited,
            (None, None, None) => RanState::Running,
        };
        let exit_code = match state {
            RanState::Exited => self.ended.and_then(|e| e.exit_code),
            _ => command.exit_code,
        };
        let ran = RanCommand {
            number,
            text: command.text.clone().or_else(|| self.typed_text(command)),
            state,
            exit_code,
            started_ms: begun,
            duration_ms: over.saturating_sub(begun),
            directory: command.directory.clone(),
            lines: excerpt.text.lines().count(),
            bytes: excerpt.text.len(),
            dropped: excerpt.dropped,
        };
        (ran, excerpt.text)
    }

    /// What a command said: what it wrote and what still stands, wherever it moved the cursor.
    pub(crate) fn output_of(&self, command: &Command) -> Excerpt {
        match (command.started, command.ended) {
            (Some(started), ended) => {
                let until =
                    |ended: Moment| Until { position: ended.position, seq: ended.seq, stamp: ended.stamp };
                self.vt.written(started.position, started.seq, ended.map(until))
            }
            // It never started: what the shell said to the line stands below it.
            (None, Some(_)) => {
                let (mut excerpt, typed) = self.below_the_prompt(command);
                let rest = excerpt.text.splitn(typed + 1, '\n').nth(typed).unwrap_or_default();
                excerpt.text = rest.to_owned();
                excerpt
            }
            (None, None) => Excerpt::default(),
        }
    }

    /// What was typed, as the screen shows it, where the shell did not tell.
    fn typed_text(&self, command: &Command) -> Option<String> {
        let (excerpt, typed) = self.below_the_prompt(command);
        let lines: Vec<&str> = excerpt.text.lines().take(typed).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The text from where a `run` typed to the command's end, and how many lines of it are what was typed.
    fn below_the_prompt(&self, command: &Command) -> (Excerpt, usize) {
        let (Some(typed), Some(ended)) = (command.typed, command.ended) else { return Default::default() };
        let echo = self.saved.echoes.iter().find(|echo| echo.seq == typed.seq);
        let lines = echo.map_or(1, |echo| echo.lines as usize);
        (self.vt.text_between(typed.position, ended.position), lines)
    }
}
