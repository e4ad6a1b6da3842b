//! The commands that the shell ran, as its marks report them, and where the output of each is.
//!
//! [`Commands`] is pure: callers pass marks and times. It is part of a session's saved state, so a new daemon knows the same
//! commands as the previous one. `result.rs` reads the result of each from the screen.

pub(crate) mod history;
pub(crate) mod result;

use std::collections::VecDeque;

use cotty_vt::Position;
use serde::{Deserialize, Serialize};

use crate::shell::ShellMark;

/// Most commands remembered.
const KEPT: usize = 1000;

/// A point in a session: its position, seq and time, and the seq of the last change of its row (`stamp`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment {
    pub(crate) position: Position,
    pub(crate) seq: u64,
    pub(crate) stamp: u64,
    pub(crate) ms: u64,
}

/// One command, from its typed line to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Command {
    /// The retry id of the `run` that typed it.
    #[serde(rename = "request")]
    pub(crate) retry_id: Option<String>,
    /// Its text, as the shell reported it.
    pub(crate) text: Option<String>,
    /// Where it was typed, at the end of the prompt or further on. The text from here to its start is its echo.
    pub(crate) prompt: Option<Position>,
    /// Where `run` began to type.
    pub(crate) typed: Option<Moment>,
    /// Where its output begins.
    pub(crate) started: Option<Moment>,
    /// Where its output ends.
    pub(crate) ended: Option<Moment>,
    pub(crate) exit_code: Option<i32>,
    /// Why the policy denied it.
    pub(crate) denied: Option<String>,
    /// The shell's directory when it began.
    pub(crate) directory: Option<String>,
}

/// What the shell is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// No prompt yet.
    Starting,
    /// It waits for a command; the prompt ends here.
    Prompt(Moment),
    /// A line runs, or the prompt is being drawn.
    Running,
}

/// The commands of one session, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commands {
    phase: Phase,
    kept: VecDeque<Command>,
    /// How many older commands were forgotten.
    forgotten: u64,
    /// The directory that was reported last, and the shell's directory at its prompt. Any output can report one, but only the
    /// shell does so right before it marks its prompt.
    told: Option<String>,
    directory: Option<String>,
    /// Where the newest prompt begins.
    prompt_began: Option<Position>,
    /// Where typing at that prompt began.
    begun: Option<Position>,
}

impl Default for Commands {
    fn default() -> Self {
        Commands {
            phase: Phase::Starting,
            kept: VecDeque::new(),
            forgotten: 0,
            told: None,
            directory: None,
            prompt_began: None,
            begun: None,
        }
    }
}

impl Commands {
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Where the newest prompt begins, if the shell marked it.
    pub(crate) fn prompt_began(&self) -> Option<Position> {
        self.prompt_began
    }

    /// Each command with its number, which is never used again; oldest first.
    pub(crate) fn numbered(&self) -> impl DoubleEndedIterator<Item = (u64, &Command)> + ExactSizeIterator {
        let forgotten = self.forgotten;
        self.kept.iter().enumerate().map(move |(at, command)| (forgotten + at as u64 + 1, command))
    }

    /// Notes a directory that the output reported.
    pub(crate) fn moved(&mut self, directory: String) {
        self.told = Some(directory);
    }

    /// The command that a `run` typed.
    pub(crate) fn by_retry_id(&self, retry_id: &str) -> Option<&Command> {
        self.kept.iter().rev().find(|c| c.retry_id.as_deref() == Some(retry_id))
    }

    /// Whether the command of a `run` is over and the shell waits for the next.
    pub(crate) fn is_over(&self, retry_id: &str) -> bool {
        let ended = self.by_retry_id(retry_id).and_then(|c| c.ended);
        matches!((ended, self.phase), (Some(ended), Phase::Prompt(prompt)) if prompt.seq >= ended.seq)
            || ended
                .is_some_and(|e| self.kept.back().and_then(|c| c.ended).is_some_and(|last| last.seq > e.seq))
    }

    /// Whether this is the last command and no prompt followed it: if the shell has ended, this command ended with it.
    pub(crate) fn no_prompt_followed(&self, command: &Command) -> bool {
        let last = self.kept.back().is_some_and(|last| std::ptr::eq(last, command));
        last && !matches!(self.phase, Phase::Prompt(at) if command.ended.is_some_and(|e| at.seq >= e.seq))
    }

    /// Whether the last command has ended and the prompt has not appeared yet.
    pub(crate) fn prompt_is_due(&self) -> bool {
        self.phase == Phase::Running && self.kept.back().is_none_or(|last| last.ended.is_some())
    }

    /// Whether a `run` has typed a line that no mark has reported yet.
    pub(crate) fn awaits_start(&self) -> bool {
        let waits = |last: &Command| last.typed.is_some() && last.started.is_none() && last.ended.is_none();
        self.kept.back().is_some_and(waits)
    }

    /// The last command, if the shell waits for the next.
    pub(crate) fn last_ended(&self) -> Option<&Command> {
        let at_prompt = matches!(self.phase, Phase::Prompt(_));
        self.kept.back().filter(|last| at_prompt && last.ended.is_some())
    }

    /// All commands, newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &Command> {
        self.kept.iter().rev()
    }

    /// How many commands were started after `seq`.
    pub(crate) fn started_after(&self, seq: u64) -> usize {
        self.kept.iter().filter(|c| c.started.is_some_and(|s| s.seq > seq)).count()
    }

    /// For each command that started after `seq`: where its line was typed, and where it started.
    pub(crate) fn typed_after(&self, seq: u64) -> impl Iterator<Item = (Position, Moment)> {
        let after = self.kept.iter().filter(move |c| c.started.is_some_and(|s| s.seq > seq));
        let typed = |c: &Command| c.typed.map(|typed| typed.position).or(c.prompt);
        after.filter_map(move |c| Some((typed(c)?, c.started?)))
    }

    /// Where the line was typed that the shell's hook asks about now.
    pub(crate) fn typed_now(&self) -> Option<Position> {
        self.kept.back().filter(|c| c.started.is_none() && c.ended.is_none()).and_then(|c| c.prompt)
    }

    /// Notes that typing at the prompt begins at `at`. Output of a background job before that, or within a line, is not typed
    /// text. But if lines were `entered` that the shell does not run yet, they continue below.
    pub(crate) fn typing(&mut self, at: Position, entered: bool) {
        if matches!(self.phase, Phase::Prompt(_))
            && self.begun.is_none_or(|begun| begun.line != at.line && !entered)
        {
            self.begun = Some(at);
        }
    }

    /// Where typing at the prompt began.
    pub(crate) fn begun(&self) -> Option<Position> {
        self.begun
    }

    /// Notes that a `run` has typed its command.
    pub(crate) fn typed(&mut self, retry_id: &str, at: Moment) {
        self.end_unmarked();
        self.push(Command { retry_id: Some(retry_id.to_owned()), typed: Some(at), ..Command::default() });
    }

    /// Notes that the shell's hook asks about a line.
    pub(crate) fn asked(&mut self, line: Option<String>) {
        let prompt = self.leave_prompt();
        let command = self.open_or_new();
        command.prompt = command.prompt.or(prompt);
        if let Some(line) = line {
            match &mut command.text {
                Some(text) => {
                    text.push('\n');
                    text.push_str(&line);
                }
                None => command.text = Some(line),
            }
        }
    }

    fn leave_prompt(&mut self) -> Option<Position> {
        self.end_unmarked();
        let begun = self.begun.take();
        match std::mem::replace(&mut self.phase, Phase::Running) {
            Phase::Prompt(at) => begun.or(Some(at.position)),
            _ => None,
        }
    }

    /// Notes that the policy denied the line that the hook asked about last.
    pub(crate) fn denied(&mut self, reason: &str) {
        if let Some(command) = self.open() {
            command.denied = Some(reason.to_owned());
        }
    }

    /// Applies a mark of the shell.
    pub(crate) fn marked(&mut self, mark: &ShellMark, at: Moment) {
        match mark {
            ShellMark::PromptStart => {
                self.directory.clone_from(&self.told);
                self.prompt_began = Some(at.position);
            }
            // A line editor that redraws the prompt marks its end again, and redraws the typed text after it. The shell has
            // been waiting since the first mark.
            ShellMark::PromptEnd => {
                self.begun = self.begun.map(|_| at.position);
                self.phase = match self.phase {
                    Phase::Prompt(first) => Phase::Prompt(Moment { position: at.position, ..first }),
                    _ => Phase::Prompt(at),
                };
            }
            ShellMark::Ask(_) => {}
            ShellMark::CommandStart => {
                let prompt = self.leave_prompt();
                let command = self.open_or_new();
                // For lines that were pasted together, the hook asks one by one, and they start one by one, but end together.
                command.started.get_or_insert(at);
                command.prompt = command.prompt.or(prompt);
            }
            ShellMark::CommandEnd { code } => {
                self.phase = Phase::Running;
                self.begun = None;
                // Without an open command this was an empty line, or the shell's first prompt.
                if let Some(command) = self.open() {
                    command.ended = Some(at);
                    command.exit_code = Some(*code);
                }
            }
        }
    }

    /// Ends a command that is followed by a prompt but has no end mark. Its output ends above the prompt's line. This is not
    /// done at the prompt's mark, because a shell may mark the end after it.
    pub(crate) fn end_unmarked(&mut self) {
        let Phase::Prompt(prompt) = self.phase else { return };
        let before = |started: Moment| started.seq < prompt.seq;
        if let Some(command) = self.open().filter(|command| command.started.is_some_and(before)) {
            let position = Position { cell: 0, ..prompt.position };
            command.ended = Some(Moment { position, ..prompt });
        }
    }

    fn open(&mut self) -> Option<&mut Command> {
        self.kept.back_mut().filter(|c| c.ended.is_none())
    }

    fn open_or_new(&mut self) -> &mut Command {
        if self.open().is_none() {
            self.push(Command::default());
        }
        let last = self.kept.len() - 1;
        &mut self.kept[last]
    }

    fn push(&mut self, command: Command) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
            self.forgotten += 1;
        }
        self.kept.push_back(Command { directory: self.directory.clone(), ..command });
    }
}

#[cfg(test)]
impl Commands {
    /// Something in every field: a finished command and a running one.
    pub(crate) fn filled() -> Commands {
        let position = |line| Position { line: cotty_vt::LineId(line), cell: 2 };
        let moment = |seq| Moment { position: position(1), seq, stamp: seq + 1, ms: seq + 2 };
        let finished = Command {
            retry_id: Some("r1".into()),
            text: Some("mkfs".into()),
            prompt: Some(position(3)),
            typed: Some(moment(4)),
            started: Some(moment(5)),
            ended: Some(moment(6)),
            exit_code: Some(1),
            denied: Some("no".into()),
            directory: Some("/tmp".into()),
        };
        let running = Command { retry_id: Some("r2".into()), started: Some(moment(8)), ..Command::default() };
        Commands {
            phase: Phase::Prompt(moment(7)),
            kept: [finished, running].into(),
            forgotten: 3,
            told: Some("/told".into()),
            directory: Some("/at".into()),
            prompt_began: Some(position(9)),
            begun: Some(position(10)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_vt::LineId;

    fn at(seq: u64) -> Moment {
        Moment { position: Position { line: LineId(seq), cell: 0 }, seq, stamp: 0, ms: seq * 10 }
    }

    #[test]
    fn a_run_is_over_when_its_command_ended_and_the_prompt_is_back() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::CommandEnd { code: 0 }, at(1));
        commands.marked(&ShellMark::PromptEnd, at(2));
        assert_eq!(commands.phase(), Phase::Prompt(at(2)));
        commands.typed("r1", at(2));
        assert!(!commands.is_over("r1"));
        commands.asked(Some("false".into()));
        commands.marked(&ShellMark::CommandStart, at(12));
        commands.marked(&ShellMark::CommandEnd { code: 1 }, at(20));
        assert!(!commands.is_over("r1"));
        commands.marked(&ShellMark::PromptEnd, at(22));
        assert!(commands.is_over("r1"));
        let command = commands.by_retry_id("r1").unwrap();
        assert_eq!((command.exit_code, command.text.as_deref()), (Some(1), Some("false")));
        assert_eq!((command.started, command.ended), (Some(at(12)), Some(at(20))));
    }

    #[test]
    fn a_line_that_never_started_ends_with_the_shells_code() {
        // A syntax error: the shell asks nothing and starts nothing, but reports an exit code.
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.typed("r1", at(2));
        commands.marked(&ShellMark::CommandEnd { code: 2 }, at(9));
        commands.marked(&ShellMark::PromptEnd, at(11));
        assert!(commands.is_over("r1"));
        let command = commands.by_retry_id("r1").unwrap();
        assert_eq!((command.started, command.exit_code), (None, Some(2)));
    }

    #[test]
    fn lines_that_were_pasted_together_are_one_command() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.typed("r1", at(2));
        for (line, start) in [("echo a", 10), ("false", 20)] {
            commands.asked(Some(line.into()));
            commands.marked(&ShellMark::CommandStart, at(start));
        }
        commands.marked(&ShellMark::CommandEnd { code: 1 }, at(30));
        let command = commands.by_retry_id("r1").unwrap();
        assert_eq!(command.text.as_deref(), Some("echo a\nfalse"));
        assert_eq!(
            (command.started, command.ended, command.exit_code),
            (Some(at(10)), Some(at(30)), Some(1))
        );
        assert_eq!(command.prompt, Some(at(2).position));
    }

    #[test]
    fn a_prompt_ends_a_command_without_an_end_mark() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.typed("r1", at(2));
        commands.asked(Some("echo z".into()));
        // A line editor may draw its prompt once more before the command starts.
        commands.marked(&ShellMark::PromptEnd, at(4));
        assert!(!commands.is_over("r1"));
        commands.asked(None);
        commands.marked(&ShellMark::CommandStart, at(6));
        commands.marked(&ShellMark::PromptEnd, at(9));
        // The end mark may still follow.
        assert!(!commands.is_over("r1"));
        commands.end_unmarked();
        assert!(commands.is_over("r1"));
        let command = commands.by_retry_id("r1").unwrap();
        assert_eq!((command.ended, command.exit_code), (Some(at(9)), None));
        assert!(!commands.no_prompt_followed(command));
        assert_eq!(commands.last_ended(), Some(command));
    }

    #[test]
    fn the_prompt_is_due_between_a_commands_end_and_the_prompt() {
        let mut commands = Commands::default();
        for (mark, due) in [
            (ShellMark::PromptEnd, false),
            (ShellMark::CommandStart, false),
            (ShellMark::CommandEnd { code: 0 }, true),
            (ShellMark::PromptStart, true),
            (ShellMark::PromptEnd, false),
        ] {
            commands.marked(&mark, at(2));
            assert_eq!(commands.prompt_is_due(), due, "{mark:?}");
        }
    }

    #[test]
    fn a_typed_line_awaits_its_start_until_the_shell_marks_it() {
        for mark in [ShellMark::CommandStart, ShellMark::CommandEnd { code: 2 }] {
            let mut commands = Commands::default();
            commands.marked(&ShellMark::PromptEnd, at(2));
            assert!(!commands.awaits_start());
            commands.typed("r1", at(2));
            assert!(commands.awaits_start());
            commands.marked(&mark, at(5));
            assert!(!commands.awaits_start(), "{mark:?}");
        }
    }

    #[test]
    fn a_redrawn_prompt_is_the_same_prompt() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.marked(&ShellMark::PromptEnd, at(5));
        assert_eq!(commands.phase(), Phase::Prompt(Moment { position: at(5).position, ..at(2) }));
    }

    #[test]
    fn a_line_begins_where_it_was_typed() {
        let typed_at = |typed: &[(u64, bool)], again: Option<u64>| {
            let mut commands = Commands::default();
            commands.marked(&ShellMark::PromptEnd, at(2));
            for &(position, entered) in typed {
                commands.typing(at(position).position, entered);
            }
            if let Some(again) = again {
                commands.marked(&ShellMark::PromptEnd, at(again));
            }
            commands.marked(&ShellMark::CommandStart, at(20));
            commands.kept[0].prompt.unwrap().line.0
        };
        // No input at the prompt: the line was typed ahead.
        assert_eq!(typed_at(&[], None), 2);
        // A job has written after the prompt, or writes within the line.
        assert_eq!(typed_at(&[(5, false)], None), 5);
        assert_eq!(typed_at(&[(2, false), (6, false)], None), 6);
        // The second line of one command.
        assert_eq!(typed_at(&[(2, false), (3, true)], None), 2);
        // Redrawn, with the typed text.
        assert_eq!(typed_at(&[(5, false)], Some(9)), 9);
    }

    #[test]
    fn an_empty_line_is_not_a_command() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.marked(&ShellMark::CommandEnd { code: 0 }, at(4));
        commands.marked(&ShellMark::PromptEnd, at(6));
        assert!(commands.kept.is_empty());
    }

    #[test]
    fn the_number_of_remembered_commands_is_bounded() {
        let mut commands = Commands::default();
        for i in 0..(2 * KEPT as u64) {
            commands.marked(&ShellMark::CommandStart, at(2 * i));
            commands.marked(&ShellMark::CommandEnd { code: 0 }, at(2 * i + 1));
        }
        assert_eq!(commands.kept.len(), KEPT);
        let numbers: Vec<u64> = commands.numbered().map(|(number, _)| number).collect();
        assert_eq!((numbers[0], numbers[KEPT - 1]), (KEPT as u64 + 1, 2 * KEPT as u64));
    }

    #[test]
    fn a_commands_directory_is_the_one_reported_at_the_prompt_before_it() {
        let mut commands = Commands::default();
        commands.moved("/here".into());
        commands.marked(&ShellMark::PromptStart, at(1));
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.moved("/forged".into());
        commands.marked(&ShellMark::CommandStart, at(3));
        commands.moved("/there".into());
        commands.marked(&ShellMark::CommandEnd { code: 0 }, at(4));
        assert_eq!(commands.kept[0].directory.as_deref(), Some("/here"));
        commands.marked(&ShellMark::PromptStart, at(5));
        commands.typed("r1", at(6));
        assert_eq!(commands.kept[1].directory.as_deref(), Some("/there"));
    }
}
