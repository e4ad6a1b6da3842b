//! What the shell ran: told by its marks, kept with where each command's output lies.
//!
//! [`Commands`] is pure: told of marks and of the time. It is part of a session's state, so a new daemon knows the same commands
//! as the one before. What became of each is read off the screen in `result.rs`.

pub(crate) mod history;
pub(crate) mod result;

use std::collections::VecDeque;

use cotty_vt::Position;
use serde::{Deserialize, Serialize};

use crate::shell::ShellMark;

/// Commands remembered.
const KEPT: usize = 1000;

/// A point in a session: where, after how much output, and when; and after how much output its row was changed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment {
    pub(crate) position: Position,
    pub(crate) seq: u64,
    pub(crate) stamp: u64,
    pub(crate) ms: u64,
}

/// One command, from its line to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Command {
    /// The `run` that typed it.
    #[serde(rename = "request")]
    pub(crate) retry_id: Option<String>,
    /// Its text, as the shell understood it.
    pub(crate) text: Option<String>,
    /// Where it was typed, at the end of the prompt or further on: what follows, up to its start, is what was typed.
    pub(crate) prompt: Option<Position>,
    /// Where `run` began to type.
    pub(crate) typed: Option<Moment>,
    /// Where its output begins.
    pub(crate) started: Option<Moment>,
    /// Where its output ends.
    pub(crate) ended: Option<Moment>,
    pub(crate) exit_code: Option<i32>,
    /// Why it was not run.
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
    /// How many older ones are forgotten.
    forgotten: u64,
    /// The directory that was told last, and the one that the shell had at its prompt: any output can tell one, but only
    /// the shell does so right before it marks its prompt.
    told: Option<String>,
    directory: Option<String>,
    /// Where the newest prompt begins.
    prompt_began: Option<Position>,
    /// Where somebody began to type at it.
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

    /// Where the newest prompt begins, where the shell tells.
    pub(crate) fn prompt_began(&self) -> Option<Position> {
        self.prompt_began
    }

    /// Each with its number, which no other will have; oldest first.
    pub(crate) fn numbered(&self) -> impl DoubleEndedIterator<Item = (u64, &Command)> + ExactSizeIterator {
        let forgotten = self.forgotten;
        self.kept.iter().enumerate().map(move |(at, command)| (forgotten + at as u64 + 1, command))
    }

    /// A directory was told.
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

    /// Whether this is the last command and no prompt came after it: where the shell has ended, it ended it.
    pub(crate) fn is_last_word(&self, command: &Command) -> bool {
        let last = self.kept.back().is_some_and(|last| std::ptr::eq(last, command));
        last && !matches!(self.phase, Phase::Prompt(at) if command.ended.is_some_and(|e| at.seq >= e.seq))
    }

    /// Whether the last command has ended and the prompt has not come yet.
    pub(crate) fn comes_to_prompt(&self) -> bool {
        self.phase == Phase::Running && self.kept.back().is_none_or(|last| last.ended.is_some())
    }

    /// Whether a `run` has typed a line that the shell has not told of.
    pub(crate) fn awaits_start(&self) -> bool {
        let waits = |last: &Command| last.typed.is_some() && last.started.is_none() && last.ended.is_none();
        self.kept.back().is_some_and(waits)
    }

    /// The last command, where the shell waits for the next.
    pub(crate) fn last_ended(&self) -> Option<&Command> {
        let at_prompt = matches!(self.phase, Phase::Prompt(_));
        self.kept.back().filter(|last| at_prompt && last.ended.is_some())
    }

    /// The newest, and those before it.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &Command> {
        self.kept.iter().rev()
    }

    /// How many commands were started after `seq`.
    pub(crate) fn started_after(&self, seq: u64) -> usize {
        self.kept.iter().filter(|c| c.started.is_some_and(|s| s.seq > seq)).count()
    }

    /// Where lines were typed at the prompt and then run, after `seq`, and where their commands started.
    pub(crate) fn typed_after(&self, seq: u64) -> impl Iterator<Item = (Position, Moment)> {
        let after = self.kept.iter().filter(move |c| c.started.is_some_and(|s| s.seq > seq));
        let typed = |c: &Command| c.typed.map(|typed| typed.position).or(c.prompt);
        after.filter_map(move |c| Some((typed(c)?, c.started?)))
    }

    /// Where a line was typed that the shell asks about now.
    pub(crate) fn typed_now(&self) -> Option<Position> {
        self.kept.back().filter(|c| c.started.is_none() && c.ended.is_none()).and_then(|c| c.prompt)
    }

    /// Somebody types at the prompt, from here on. What a job in the background has said there is not what was typed, nor
    /// what it says in the midst of a line; but `entered` lines that the shell does not run yet go on below.
    pub(crate) fn typing(&mut self, at: Position, entered: bool) {
        if matches!(self.phase, Phase::Prompt(_))
            && self.begun.is_none_or(|begun| begun.line != at.line && !entered)
        {
            self.begun = Some(at);
        }
    }

    /// Where the line at the prompt began to be typed.
    pub(crate) fn begun(&self) -> Option<Position> {
        self.begun
    }

    /// A `run` has typed its command.
    pub(crate) fn typed(&mut self, retry_id: &str, at: Moment) {
        self.end_unmarked();
        self.push(Command { retry_id: Some(retry_id.to_owned()), typed: Some(at), ..Command::default() });
    }

    /// The shell asks about a line.
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

    /// The policy said no to the line that was asked about last.
    pub(crate) fn denied(&mut self, reason: &str) {
        if let Some(command) = self.open() {
            command.denied = Some(reason.to_owned());
        }
    }

    /// The shell said something.
    pub(crate) fn marked(&mut self, mark: &ShellMark, at: Moment) {
        match mark {
            ShellMark::PromptStart => {
                self.directory.clone_from(&self.told);
                self.prompt_began = Some(at.position);
            }
            // A line editor that draws the prompt again says its end again, and draws what was typed behind it; the shell
            // waits no later for that.
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
                // Several lines that were pasted together are asked about and started one by one, and end together.
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

    /// Ends a command that the prompt came after, where the shell has lost the mark that tells how it ended. Its output
    /// ends above the prompt's line. Not at the prompt's mark: a shell may tell of the end behind it.
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
        // A syntax error: the shell asks nothing and starts nothing, but comes back with a code.
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
    fn a_prompt_ends_a_command_whose_end_was_not_told() {
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
        // The end may be told yet.
        assert!(!commands.is_over("r1"));
        commands.end_unmarked();
        assert!(commands.is_over("r1"));
        let command = commands.by_retry_id("r1").unwrap();
        assert_eq!((command.ended, command.exit_code), (Some(at(9)), None));
        assert!(!commands.is_last_word(command));
        assert_eq!(commands.last_ended(), Some(command));
    }

    #[test]
    fn between_a_commands_end_and_the_prompt_the_shell_comes_to_it() {
        let mut commands = Commands::default();
        for (mark, comes) in [
            (ShellMark::PromptEnd, false),
            (ShellMark::CommandStart, false),
            (ShellMark::CommandEnd { code: 0 }, true),
            (ShellMark::PromptStart, true),
            (ShellMark::PromptEnd, false),
        ] {
            commands.marked(&mark, at(2));
            assert_eq!(commands.comes_to_prompt(), comes, "{mark:?}");
        }
    }

    #[test]
    fn a_line_that_was_typed_is_awaited_until_the_shell_tells_of_it() {
        for told in [ShellMark::CommandStart, ShellMark::CommandEnd { code: 2 }] {
            let mut commands = Commands::default();
            commands.marked(&ShellMark::PromptEnd, at(2));
            assert!(!commands.awaits_start());
            commands.typed("r1", at(2));
            assert!(commands.awaits_start());
            commands.marked(&told, at(5));
            assert!(!commands.awaits_start(), "{told:?}");
        }
    }

    #[test]
    fn a_prompt_that_is_drawn_again_is_the_same() {
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
        // Nobody typed: it was typed ahead.
        assert_eq!(typed_at(&[], None), 2);
        // A job had said something behind the prompt, or says it in the midst of the line.
        assert_eq!(typed_at(&[(5, false)], None), 5);
        assert_eq!(typed_at(&[(2, false), (6, false)], None), 6);
        // The second line of one command.
        assert_eq!(typed_at(&[(2, false), (3, true)], None), 2);
        // Drawn again, with what was typed.
        assert_eq!(typed_at(&[(5, false)], Some(9)), 9);
    }

    #[test]
    fn an_empty_line_is_no_command() {
        let mut commands = Commands::default();
        commands.marked(&ShellMark::PromptEnd, at(2));
        commands.marked(&ShellMark::CommandEnd { code: 0 }, at(4));
        commands.marked(&ShellMark::PromptEnd, at(6));
        assert!(commands.kept.is_empty());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
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
    fn a_commands_directory_is_the_one_told_at_the_prompt_before_it() {
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
