//! Tests of what is new to a reader, on small screens.

use cotty_vt::{Size, Vt};

use super::*;
use crate::commands::{Commands, Moment};
use crate::input::typed::{Echo, EchoedBy, TypedLines};
use crate::shell::ShellMark;

/// A terminal with scripted output.
struct Shell {
    vt: Vt,
    commands: Commands,
    typed: TypedLines,
    start: Position,
}

impl Shell {
    fn new() -> Shell {
        let vt = Vt::new(Size { cols: 80, rows: 24 });
        Shell { start: vt.position(), vt, commands: Commands::default(), typed: TypedLines::default() }
    }

    /// A shell with marks, at its first prompt.
    fn at_prompt() -> Shell {
        let mut shell = Shell::new();
        shell.prompt();
        shell
    }

    fn screen(&self) -> Screen<'_> {
        Screen { vt: &self.vt, commands: &self.commands, typed: &self.typed }
    }

    fn writes(&mut self, output: &str) -> &mut Shell {
        self.vt.feed(output.replace('\n', "\r\n").as_bytes());
        self
    }

    fn moment(&self) -> Moment {
        let (position, seq, stamp) = (self.vt.position(), self.vt.seq(), self.vt.cursor_stamp());
        Moment { position, seq, stamp, ms: seq }
    }

    fn marks(&mut self, mark: ShellMark) -> &mut Shell {
        let moment = self.moment();
        self.commands.marked(&mark, moment);
        self
    }

    fn prompt(&mut self) -> &mut Shell {
        self.marks(ShellMark::PromptStart).writes("$ ").marks(ShellMark::PromptEnd)
    }

    /// A client types a line; it is not echoed yet.
    fn types(&mut self, shown: EchoedBy) -> &mut Shell {
        let (seq, position) = (self.vt.seq(), self.vt.position());
        self.commands.typing(position, false);
        self.typed.typed(seq, false);
        self.typed.entered(Echo { seq, position, lines: 1, shown });
        self
    }

    /// A command is typed at the prompt, echoed, writes output and ends; the prompt is back.
    fn runs(&mut self, command: &str, output: &str) -> &mut Shell {
        self.types(EchoedBy::Surely).starts(command).writes(output).ends(0).prompt()
    }

    /// The shell echoes a typed command, and starts it.
    fn starts(&mut self, command: &str) -> &mut Shell {
        self.writes(command);
        self.commands.asked(Some(command.to_owned()));
        self.writes("\n").marks(ShellMark::CommandStart)
    }

    fn ends(&mut self, code: i32) -> &mut Shell {
        self.marks(ShellMark::CommandEnd { code })
    }

    /// The position of a reader that has read everything.
    fn place(&self) -> ReadPosition {
        let spot = self.screen().spot(self.vt.shown_position());
        ReadPosition { seq: self.vt.shown_seq(), spot, answered: Vec::new() }
    }

    /// What is new to a reader at `place`.
    fn new_since(&self, place: &ReadPosition) -> String {
        self.screen().new_text(Some(place), self.start, usize::MAX).0
    }

    fn all(&self) -> String {
        self.screen().new_text(None, self.start, usize::MAX).0
    }
}

#[test]
fn output_is_new_and_the_echo_is_not() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.runs("make", "cc a.c\ncc b.c\n");
    assert_eq!(shell.new_since(&before), "cc a.c\ncc b.c\n$");
    assert_eq!(shell.all(), "cc a.c\ncc b.c\n$", "the prompt at which the line was typed is left out, too");
    let after = shell.place();
    assert_eq!(shell.new_since(&after), "");
}

#[test]
fn without_marks_the_answer_begins_below_the_typed_line() {
    let mut cat = Shell::new();
    cat.writes("ready\n");
    let before = cat.place();
    // The kernel echoes it, and cat writes it again.
    cat.types(EchoedBy::Surely).writes("hello\nhello\n");
    assert_eq!(cat.new_since(&before), "hello\n");
    assert_eq!(cat.all(), "ready\nhello\n");
}

#[test]
fn a_line_is_left_out_only_if_the_program_echoes_it() {
    let typed = || EchoedBy::perhaps(b"secret\r");
    // It echoes the line, as a line editor does.
    let mut shows = Shell::new();
    let before = shows.place();
    shows.types(typed()).writes("secret\nok\n");
    assert_eq!(shows.new_since(&before), "ok\n");
    // It shows stars: a different line of the same length is output.
    let mut stars = Shell::new();
    let before = stars.place();
    stars.types(typed()).writes("******\nok\n");
    assert_eq!(stars.new_since(&before), "******\nok\n");
    // It has echoed only a part of the line.
    let mut slow = Shell::new();
    let before = slow.place();
    slow.types(typed()).writes("sec");
    assert_eq!(slow.new_since(&before), "");
}

#[test]
fn enter_alone_hides_no_output() {
    let mut pager = Shell::new();
    pager.writes("first\n");
    let before = pager.place();
    pager.types(EchoedBy::perhaps(b"\r")).writes("\nsecond\n");
    assert_eq!(pager.new_since(&before).trim(), "second");
}

#[test]
fn a_redrawn_line_is_new_as_a_whole() {
    let mut shell = Shell::at_prompt();
    shell.types(EchoedBy::Surely).starts("get").writes("10 %");
    let before = shell.place();
    shell.writes("\r50 %");
    assert_eq!(shell.new_since(&before), "50 %");
    // Also one further up.
    shell.writes("\nnext\n");
    let before = shell.place();
    shell.writes("\x1b[2A\rdone\x1b[2B\r");
    assert_eq!(shell.new_since(&before), "done");
}

#[test]
fn the_echo_of_a_line_that_was_typed_ahead_is_not_output() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.types(EchoedBy::Surely).starts("sleep 1");
    shell.types(EchoedBy::Surely).writes("date\n").ends(0).prompt().writes("date");
    assert_eq!(shell.new_since(&before), "$");
    shell.starts("").writes("Monday\n").ends(0).prompt();
    assert_eq!(shell.new_since(&before), "$\nMonday\n$");
}

#[test]
fn output_of_a_background_job_after_the_prompt_is_new() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.writes("[1] done\n").prompt();
    assert_eq!(shell.new_since(&before), "[1] done\n$");
}

#[test]
fn a_full_screen_programs_rows_are_new_when_they_change() {
    let mut shell = Shell::at_prompt();
    shell.types(EchoedBy::Surely).starts("top").writes("\x1b[?1049h\x1b[Hone\ntwo");
    let before = shell.place();
    shell.writes("\x1b[2;1HTWO");
    assert_eq!(shell.new_since(&before), "TWO");
    // The rows are gone with the program.
    shell.writes("\x1b[?1049l").ends(0).prompt();
    assert_eq!(shell.new_since(&before), "$");
}

/// Output that `run` returned is not new; unread output from before it still is.
mod returned_by_run {
    use super::*;

    /// A `run` types a command, which writes output.
    fn runs(shell: &mut Shell, retry_id: &str, output: &str) {
        shell.types(EchoedBy::Surely);
        let moment = shell.moment();
        shell.commands.typed(retry_id, moment);
        shell.starts(retry_id).writes(output).ends(0).prompt();
    }

    fn answered(shell: &Shell, retry_id: &str, place: ReadPosition) -> ReadPosition {
        let command = shell.commands.by_retry_id(retry_id).unwrap();
        shell.screen().answered(command, place).unwrap()
    }

    #[test]
    fn output_that_run_returned_is_not_new() {
        let mut shell = Shell::at_prompt();
        let before = shell.place();
        runs(&mut shell, "ls", "a\nb\n");
        let after = answered(&shell, "ls", before);
        assert_eq!(shell.new_since(&after), "");
        shell.writes("\n[1] done\n").prompt();
        assert_eq!(shell.new_since(&after).trim(), "[1] done\n$");
    }

    #[test]
    fn unread_output_from_before_a_run_is_still_new() {
        let mut shell = Shell::at_prompt();
        let before = shell.place();
        shell.runs("make", "made\n");
        runs(&mut shell, "ls", "a\nb\n");
        let after = answered(&shell, "ls", before.clone());
        assert_eq!(shell.new_since(&after).trim_end_matches(['\n', '$', ' ']), "made");
        // A second answer joins the first.
        runs(&mut shell, "pwd", "/tmp\n");
        let after = answered(&shell, "pwd", after);
        assert_eq!(shell.new_since(&after).trim_end_matches(['\n', '$', ' ']), "made");
        assert_eq!(after.answered.len(), 1);
        let all = shell.new_since(&before);
        assert!(all.contains("made") && all.contains("/tmp"), "{all:?}");
    }

    /// What a command draws, and what counts as its output.
    const DRAWN: &[(&str, &str)] = &[
        ("said\n\x1b7\x1b[2;1Hdrawn\x1b8", "drawn\nsaid\n"),
        ("\x1b7\x1b[2;1Hdrawn\x1b8", "drawn\n"),
        ("\x1b[3;1Htop..\n\x1b[16;1H", "top..\n"),
        ("\x1b[3A\rhello\n\n\n\n", "hello\n"),
        ("\x1b[3A\rhello", "hello"),
        ("a\nb\nc\n\x1b[2;1H", "a\nb\nc\n"),
        ("one\ntwo\n\x1b[5A", "one\ntwo\n"),
        ("\x1b[H\x1bMput in\x1b[20;1H", "put in\n"),
        ("\x1b[4;1H\x1b[Jmenu\n\n1\n2\n", "menu\n\n1\n2\n"),
        ("\x1b[4;5H", ""),
        // Cleared text is not output.
        ("\x1b[H\x1b[2J\x1b[3J", ""),
        ("\x1b[H\x1b[J", ""),
        ("\x1bc", ""),
        ("before\n\x1b[H\x1b[2Jbehind\n", "before\nbehind\n"),
        ("before\n\x1bcbehind\n", "before\nbehind\n"),
        ("before\n\x1b[H\x1b[Jbehind\n", "behind\n"),
    ];

    /// Runs a command; returns what is then new to a reader that was at `place`, and the command's output.
    fn draws(shell: &mut Shell, drawn: &str, place: ReadPosition) -> (String, String) {
        runs(shell, "draw", drawn);
        let command = shell.commands.by_retry_id("draw").unwrap();
        let output = shell.screen().result_of(command, None, 0).output.text;
        (shell.new_since(&answered(shell, "draw", place)), output)
    }

    #[test]
    fn a_commands_output_is_complete_wherever_it_moved_the_cursor() {
        for (drawn, output) in DRAWN {
            let mut shell = Shell::at_prompt();
            shell.runs("seq", "row 1\nrow 2\nrow 3\nrow 4\nrow 5\n");
            let place = shell.place();
            assert_eq!(draws(&mut shell, drawn, place), (String::new(), (*output).to_owned()), "{drawn:?}");
        }
    }

    #[test]
    fn unread_output_stays_new_wherever_a_command_drew() {
        for (drawn, output) in DRAWN.iter().take_while(|(_, output)| !output.is_empty()) {
            let mut shell = Shell::new();
            shell.writes("\x1b[H\x1b[2J").prompt();
            let place = shell.place();
            shell.runs("make", "\x1b[Hunread\n\n\n\n");
            let (new, _) = draws(&mut shell, drawn, place);
            assert!(new.contains("unread"), "{drawn:?}: {new:?}");
            let lines = output.lines().filter(|line| !line.is_empty());
            assert!(
                !lines.into_iter().any(|line| new.lines().any(|shown| shown == line)),
                "{drawn:?}: {new:?}"
            );
        }
    }

    #[test]
    fn a_text_that_will_be_cut_includes_output_that_run_returned() {
        let mut shell = Shell::at_prompt();
        let before = shell.place();
        shell.runs("make", "made\n");
        runs(&mut shell, "ls", "a\nb\n");
        let after = answered(&shell, "ls", before);
        let (text, _) = shell.screen().new_text(Some(&after), shell.start, 2);
        assert!(text.contains("made") && text.contains("a\nb"), "{text:?}");
    }
}

/// The text that a wait searches.
mod searched {
    use super::*;

    fn searched(shell: &Shell, since: Option<u64>) -> String {
        let screen = shell.screen();
        screen.searched(screen.searched_since(since), None, |_| None)
    }

    #[test]
    fn a_wait_does_not_find_the_echo() {
        let mut shell = Shell::at_prompt();
        shell.types(EchoedBy::Surely).starts("echo done");
        assert!(!searched(&shell, None).contains("done"));
        shell.writes("done\n");
        assert!(searched(&shell, None).contains("done"));
    }

    #[test]
    fn without_typed_lines_a_wait_searches_the_screen() {
        let mut shell = Shell::new();
        shell.writes("ready\nname? ");
        assert_eq!(searched(&shell, None).trim_end_matches('\n'), "ready\nname? ");
        assert_eq!(searched(&shell, Some(shell.vt.seq())), "");
    }

    #[test]
    fn a_change_beyond_the_echo_is_a_reaction() {
        let mut shell = Shell::at_prompt();
        let seq = shell.vt.seq();
        let reacts = |shell: &Shell| shell.screen().changed_beyond(seq, Some("ls"), |_| None);
        shell.writes("l");
        assert!(reacts(&shell), "half of the typed text is not its echo");
        shell.writes("s");
        assert!(!reacts(&shell));
        shell.writes("\nfile\n");
        assert!(reacts(&shell));
    }
}

#[test]
fn skip_lines_returns_the_text_after_the_line_ends() {
    use super::screen::skip_lines;
    assert_eq!(skip_lines("typed\nanswer\nmore", 1), "answer\nmore");
    assert_eq!(skip_lines("\nanswer", 1), "answer");
    assert_eq!(skip_lines("half typ", 1), "");
    assert_eq!(skip_lines("nothing typed", 0), "nothing typed");
}
