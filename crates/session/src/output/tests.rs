//! What is new to a reader, on small drawn screens.

use cotty_vt::{Size, Vt};

use super::*;
use crate::commands::{Commands, Moment};
use crate::input::typed::{Echo, EchoedBy, TypedLines};
use crate::shell::ShellMark;

/// A terminal that says what it is told to say.
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

    /// A shell that marks, at its first prompt.
    fn at_prompt() -> Shell {
        let mut shell = Shell::new();
        shell.prompt();
        shell
    }

    fn screen(&self) -> Screen<'_> {
        Screen { vt: &self.vt, commands: &self.commands, typed: &self.typed }
    }

    fn says(&mut self, output: &str) -> &mut Shell {
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
        self.marks(ShellMark::PromptStart).says("$ ").marks(ShellMark::PromptEnd)
    }

    /// Somebody types a line; it is not shown yet.
    fn types(&mut self, shown: EchoedBy) -> &mut Shell {
        let (seq, position) = (self.vt.seq(), self.vt.position());
        self.commands.typing(position, false);
        self.typed.typed(seq, false);
        self.typed.entered(Echo { seq, position, lines: 1, shown });
        self
    }

    /// A command is typed at the prompt, shown, and says something; the prompt is back.
    fn runs(&mut self, command: &str, output: &str) -> &mut Shell {
        self.types(EchoedBy::Surely).starts(command).says(output).ends(0).prompt()
    }

    /// The shell shows what was typed, and starts it.
    fn starts(&mut self, command: &str) -> &mut Shell {
        self.says(command);
        self.commands.asked(Some(command.to_owned()));
        self.says("\n").marks(ShellMark::CommandStart)
    }

    fn ends(&mut self, code: i32) -> &mut Shell {
        self.marks(ShellMark::CommandEnd { code })
    }

    /// Where a reader stands that has read all of it.
    fn place(&self) -> ReadPosition {
        let spot = self.screen().spot(self.vt.shown_position());
        ReadPosition { seq: self.vt.shown_seq(), spot, answered: Vec::new() }
    }

    /// What is new to a reader that stood there.
    fn new_since(&self, place: &ReadPosition) -> String {
        self.screen().new_text(Some(place), self.start, usize::MAX).0
    }

    fn all(&self) -> String {
        self.screen().new_text(None, self.start, usize::MAX).0
    }
}

#[test]
fn output_is_new_and_what_was_typed_is_not() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.runs("make", "cc a.c\ncc b.c\n");
    assert_eq!(shell.new_since(&before), "cc a.c\ncc b.c\n$");
    assert_eq!(shell.all(), "cc a.c\ncc b.c\n$", "a prompt that was typed at is no answer either");
    let after = shell.place();
    assert_eq!(shell.new_since(&after), "");
}

#[test]
fn without_marks_the_answer_begins_below_the_line() {
    let mut cat = Shell::new();
    cat.says("ready\n");
    let before = cat.place();
    // The kernel shows it, and cat says it again.
    cat.types(EchoedBy::Surely).says("hello\nhello\n");
    assert_eq!(cat.new_since(&before), "hello\n");
    assert_eq!(cat.all(), "ready\nhello\n");
}

#[test]
fn a_program_that_shows_keys_itself_may_not_show_a_line() {
    let typed = || EchoedBy::perhaps(b"secret\r");
    // It shows the line, as a line editor does.
    let mut shows = Shell::new();
    let before = shows.place();
    shows.types(typed()).says("secret\nok\n");
    assert_eq!(shows.new_since(&before), "ok\n");
    // It shows stars: another line of the same length is an answer.
    let mut stars = Shell::new();
    let before = stars.place();
    stars.types(typed()).says("******\nok\n");
    assert_eq!(stars.new_since(&before), "******\nok\n");
    // It has shown only a part so far.
    let mut slow = Shell::new();
    let before = slow.place();
    slow.types(typed()).says("sec");
    assert_eq!(slow.new_since(&before), "");
}

#[test]
fn enter_alone_leaves_nothing_out() {
    let mut pager = Shell::new();
    pager.says("first\n");
    let before = pager.place();
    pager.types(EchoedBy::perhaps(b"\r")).says("\nsecond\n");
    assert_eq!(pager.new_since(&before).trim(), "second");
}

#[test]
fn a_line_that_is_drawn_anew_is_new_as_a_whole() {
    let mut shell = Shell::at_prompt();
    shell.types(EchoedBy::Surely).starts("get").says("10 %");
    let before = shell.place();
    shell.says("\r50 %");
    assert_eq!(shell.new_since(&before), "50 %");
    // Also one further up.
    shell.says("\nnext\n");
    let before = shell.place();
    shell.says("\x1b[2A\rdone\x1b[2B\r");
    assert_eq!(shell.new_since(&before), "done");
}

#[test]
fn a_line_that_was_typed_ahead_is_no_answer_while_the_shell_shows_it() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.types(EchoedBy::Surely).starts("sleep 1");
    shell.types(EchoedBy::Surely).says("date\n").ends(0).prompt().says("date");
    assert_eq!(shell.new_since(&before), "$");
    shell.starts("").says("Monday\n").ends(0).prompt();
    assert_eq!(shell.new_since(&before), "$\nMonday\n$");
}

#[test]
fn a_job_that_speaks_behind_the_prompt_is_heard() {
    let mut shell = Shell::at_prompt();
    let before = shell.place();
    shell.says("[1] done\n").prompt();
    assert_eq!(shell.new_since(&before), "[1] done\n$");
}

#[test]
fn a_full_screen_programs_rows_are_new_when_they_change() {
    let mut shell = Shell::at_prompt();
    shell.types(EchoedBy::Surely).starts("top").says("\x1b[?1049h\x1b[Hone\ntwo");
    let before = shell.place();
    shell.says("\x1b[2;1HTWO");
    assert_eq!(shell.new_since(&before), "TWO");
    // It is gone with the program.
    shell.says("\x1b[?1049l").ends(0).prompt();
    assert_eq!(shell.new_since(&before), "$");
}

/// What `run` answered is not new; what came before it and was not read still is.
mod told {
    use super::*;

    /// A `run` types a command, which says something.
    fn runs(shell: &mut Shell, retry_id: &str, output: &str) {
        shell.types(EchoedBy::Surely);
        let moment = shell.moment();
        shell.commands.typed(retry_id, moment);
        shell.starts(retry_id).says(output).ends(0).prompt();
    }

    fn answered(shell: &Shell, retry_id: &str, place: ReadPosition) -> ReadPosition {
        let command = shell.commands.by_retry_id(retry_id).unwrap();
        shell.screen().answered(command, place).unwrap()
    }

    #[test]
    fn what_run_answered_is_not_new() {
        let mut shell = Shell::at_prompt();
        let before = shell.place();
        runs(&mut shell, "ls", "a\nb\n");
        let after = answered(&shell, "ls", before);
        assert_eq!(shell.new_since(&after), "");
        shell.says("\n[1] done\n").prompt();
        assert_eq!(shell.new_since(&after).trim(), "[1] done\n$");
    }

    #[test]
    fn what_came_before_and_was_not_read_still_is() {
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

    /// What a command draws, and what of it is its output.
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
        // What is cleared away is not output.
        ("\x1b[H\x1b[2J\x1b[3J", ""),
        ("\x1b[H\x1b[J", ""),
        ("\x1bc", ""),
        ("before\n\x1b[H\x1b[2Jbehind\n", "before\nbehind\n"),
        ("before\n\x1bcbehind\n", "before\nbehind\n"),
        ("before\n\x1b[H\x1b[Jbehind\n", "behind\n"),
    ];

    /// What is new to a reader that stood at `place` and was answered what a command drew, and that answer.
    fn draws(shell: &mut Shell, drawn: &str, place: ReadPosition) -> (String, String) {
        runs(shell, "draw", drawn);
        let command = shell.commands.by_retry_id("draw").unwrap();
        let output = shell.screen().result_of(command, None, 0).output.text;
        (shell.new_since(&answered(shell, "draw", place)), output)
    }

    #[test]
    fn what_a_command_wrote_is_its_output_wherever_it_moved_the_cursor() {
        for (drawn, output) in DRAWN {
            let mut shell = Shell::at_prompt();
            shell.runs("seq", "row 1\nrow 2\nrow 3\nrow 4\nrow 5\n");
            let place = shell.place();
            assert_eq!(draws(&mut shell, drawn, place), (String::new(), (*output).to_owned()), "{drawn:?}");
        }
    }

    #[test]
    fn what_is_unread_stays_new_wherever_a_command_drew() {
        for (drawn, output) in DRAWN.iter().take_while(|(_, output)| !output.is_empty()) {
            let mut shell = Shell::new();
            shell.says("\x1b[H\x1b[2J").prompt();
            let place = shell.place();
            shell.runs("make", "\x1b[Hunread\n\n\n\n");
            let (new, _) = draws(&mut shell, drawn, place);
            assert!(new.contains("unread"), "{drawn:?}: {new:?}");
            let lines = output.lines().filter(|line| !line.is_empty());
            assert!(
                !lines.into_iter().any(|line| new.lines().any(|told| told == line)),
                "{drawn:?}: {new:?}"
            );
        }
    }

    #[test]
    fn an_answer_that_is_cut_is_paged_through_with_all_that_came() {
        let mut shell = Shell::at_prompt();
        let before = shell.place();
        shell.runs("make", "made\n");
        runs(&mut shell, "ls", "a\nb\n");
        let after = answered(&shell, "ls", before);
        let (text, _) = shell.screen().new_text(Some(&after), shell.start, 2);
        assert!(text.contains("made") && text.contains("a\nb"), "{text:?}");
    }
}

/// What a wait searches.
mod searched {
    use super::*;

    fn searched(shell: &Shell, since: Option<u64>) -> String {
        let screen = shell.screen();
        screen.searched(screen.searched_since(since), None, |_| None)
    }

    #[test]
    fn what_was_typed_is_not_found() {
        let mut shell = Shell::at_prompt();
        shell.types(EchoedBy::Surely).starts("echo done");
        assert!(!searched(&shell, None).contains("done"));
        shell.says("done\n");
        assert!(searched(&shell, None).contains("done"));
    }

    #[test]
    fn what_stands_on_the_screen_is_found_where_nothing_was_typed() {
        let mut shell = Shell::new();
        shell.says("ready\nname? ");
        assert_eq!(searched(&shell, None).trim_end_matches('\n'), "ready\nname? ");
        assert_eq!(searched(&shell, Some(shell.vt.seq())), "");
    }

    #[test]
    fn a_change_beyond_the_echo_is_a_reaction() {
        let mut shell = Shell::at_prompt();
        let seq = shell.vt.seq();
        let reacts = |shell: &Shell| shell.screen().changed_beyond(seq, Some("ls"), |_| None);
        shell.says("l");
        assert!(reacts(&shell), "half of it is not what was typed");
        shell.says("s");
        assert!(!reacts(&shell));
        shell.says("\nfile\n");
        assert!(reacts(&shell));
    }
}

#[test]
fn text_is_joined_line_by_line() {
    use super::screen::skip_lines;
    assert_eq!(skip_lines("typed\nanswer\nmore", 1), "answer\nmore");
    assert_eq!(skip_lines("\nanswer", 1), "answer");
    assert_eq!(skip_lines("half typ", 1), "");
    assert_eq!(skip_lines("nothing typed", 0), "nothing typed");
}
