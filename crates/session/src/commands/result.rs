//! The result of a command: its state, exit code, duration and output.

use cotty_vt::{Excerpt, Until};

use super::{Command, Moment};
use crate::handle::Ended;
use crate::output::screen::Screen;

/// The state of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandState {
    /// It ended.
    Done,
    /// It is running.
    Running,
    /// The policy denied it, for this reason.
    Denied(String),
    /// The shell itself ended.
    Exited,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) state: CommandState,
    pub(crate) exit_code: Option<i32>,
    /// When it began, in milliseconds since the epoch.
    pub(crate) started_ms: u64,
    /// How long it took, or has been running.
    pub(crate) duration_ms: u64,
    pub(crate) output: Excerpt,
}

impl Screen<'_> {
    /// The result of a command; `ended`: how its shell ended.
    pub(crate) fn result_of(&self, command: &Command, ended: Option<Ended>, now_ms: u64) -> CommandResult {
        let begun = command.started.or(command.typed).or(command.ended).map_or(0, |moment| moment.ms);
        let over = command.ended.map(|moment| moment.ms).or(ended.map(|ended| ended.at_ms));
        let state = match (&command.denied, command.ended, ended) {
            (Some(reason), ..) => CommandState::Denied(reason.clone()),
            (None, _, Some(_)) if self.commands.no_prompt_followed(command) => CommandState::Exited,
            (None, Some(_), _) => CommandState::Done,
            (None, None, Some(_)) => CommandState::Exited,
            (None, None, None) => CommandState::Running,
        };
        let exit_code = match state {
            CommandState::Exited => ended.and_then(|ended| ended.exit_code),
            _ => command.exit_code,
        };
        CommandResult {
            state,
            exit_code,
            started_ms: begun,
            duration_ms: over.unwrap_or(now_ms).saturating_sub(begun),
            output: self.output_of(command),
        }
    }

    /// A command's output: the text it wrote that is still there, wherever it moved the cursor.
    fn output_of(&self, command: &Command) -> Excerpt {
        match (command.started, command.ended) {
            (Some(started), ended) => {
                let until =
                    |ended: Moment| Until { position: ended.position, seq: ended.seq, stamp: ended.stamp };
                self.vt.written(started.position, started.seq, ended.map(until))
            }
            // It never started: the shell's message is below the typed line.
            (None, Some(_)) => {
                let (mut excerpt, typed) = self.below_the_prompt(command);
                let rest = excerpt.text.splitn(typed + 1, '\n').nth(typed).unwrap_or_default();
                excerpt.text = rest.to_owned();
                excerpt
            }
            (None, None) => Excerpt::default(),
        }
    }

    /// The typed text as the screen shows it, if the shell did not report it.
    pub(super) fn typed_text(&self, command: &Command) -> Option<String> {
        let (excerpt, typed) = self.below_the_prompt(command);
        let lines: Vec<&str> = excerpt.text.lines().take(typed).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The text from where a `run` typed to the command's end, and how many lines of it are the echo.
    fn below_the_prompt(&self, command: &Command) -> (Excerpt, usize) {
        let (Some(typed), Some(ended)) = (command.typed, command.ended) else { return Default::default() };
        let lines = self.typed.line_at(typed.seq).map_or(1, |line| line.lines as usize);
        (self.vt.text_between(typed.position, ended.position), lines)
    }
}
