//! The list of commands that a session's shell ran.

use super::Command;
use super::result::CommandState;
use crate::handle::{Ended, LastCommand};
use crate::output::screen::Screen;

/// The commands of a session.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The newest commands, oldest first.
    pub commands: Vec<RanCommand>,
    /// How many there were in all, including forgotten ones.
    pub total: u64,
}

/// One command that a shell ran.
#[derive(Debug, Clone)]
pub struct RanCommand {
    /// Its number in this session, which is never used again.
    pub number: u64,
    /// Its text, if known.
    pub text: Option<String>,
    /// Its state.
    pub state: CommandState,
    /// Its exit code, once it ended.
    pub exit_code: Option<i32>,
    /// When it began, in milliseconds since the epoch.
    pub started_ms: u64,
    /// How long it took, or has been running.
    pub duration_ms: u64,
    /// The shell's directory when it began.
    pub directory: Option<String>,
    /// Lines of output that can still be read, and their bytes.
    pub lines: usize,
    /// See `lines`.
    pub bytes: usize,
    /// Lines of output that limits have dropped.
    pub dropped: u64,
}

impl Screen<'_> {
    /// The newest commands.
    pub(crate) fn history(&self, limit: usize, ended: Option<Ended>, now_ms: u64) -> Ran {
        let numbered = self.commands.numbered();
        let skipped = numbered.len().saturating_sub(limit);
        let total = self.commands.numbered().next_back().map_or(0, |(number, _)| number);
        let ran = |(number, command)| self.ran(number, command, ended, now_ms).0;
        Ran { commands: numbered.skip(skipped).map(ran).collect(), total }
    }

    /// One command by its number, with its output.
    pub(crate) fn command(
        &self,
        wanted: u64,
        ended: Option<Ended>,
        now_ms: u64,
    ) -> Option<(RanCommand, String)> {
        let (number, command) = self.commands.numbered().find(|(number, _)| *number == wanted)?;
        Some(self.ran(number, command, ended, now_ms))
    }

    /// How the last command ended, if the shell waits for the next.
    pub(crate) fn last_command(&self) -> Option<LastCommand> {
        let command = self.commands.last_ended()?;
        let begun = command.started.or(command.typed).or(command.ended)?.ms;
        let duration_ms = command.ended?.ms.saturating_sub(begun);
        Some(LastCommand { exit_code: command.exit_code, duration_ms })
    }

    fn ran(&self, number: u64, command: &Command, ended: Option<Ended>, now_ms: u64) -> (RanCommand, String) {
        let result = self.result_of(command, ended, now_ms);
        let output = result.output.text;
        let ran = RanCommand {
            number,
            text: command.text.clone().or_else(|| self.typed_text(command)),
            state: result.state,
            exit_code: result.exit_code,
            started_ms: result.started_ms,
            duration_ms: result.duration_ms,
            directory: command.directory.clone(),
            lines: output.lines().count(),
            bytes: output.len(),
            dropped: result.output.dropped,
        };
        (ran, output)
    }
}
