//! Tests of what [`Observation`] decides, with small screens, shell marks and scripted kernel facts.

use std::time::{Duration, Instant};

use cotty_protocol::op::Activity;
use cotty_pty::facts::{LineMode, Waiting};
use cotty_vt::{Size, Vt};
use regex::Regex;

use super::observation::Observation;
use super::prompt::{PROMPT_COMES, Prompt};
use crate::commands::{Commands, Moment, Phase};
use crate::input::typed::{Echo, EchoedBy, TypedLines};
use crate::input::unread::Unread;
use crate::shell::ShellMark;
use crate::wait::facts::Facts;

/// A kernel with scripted facts.
#[derive(Clone)]
struct Kernel {
    mode: Option<LineMode>,
    waiting: Option<Waiting>,
    queued: bool,
    unread_input: Option<u64>,
    unread_output: bool,
    name: Option<&'static str>,
    leads: bool,
    replaced: bool,
}

const LINES: LineMode = LineMode { echo: true, canonical: true };
const HIDDEN: LineMode = LineMode { echo: false, canonical: true };
const KEYS: LineMode = LineMode { echo: false, canonical: false };

impl Kernel {
    /// A program that is working.
    fn works(name: &'static str) -> Kernel {
        Kernel {
            mode: Some(LINES),
            waiting: Some(Waiting::No),
            queued: false,
            unread_input: Some(0),
            unread_output: false,
            name: Some(name),
            leads: false,
            replaced: false,
        }
    }

    /// A program that reads the terminal.
    fn reads(name: &'static str) -> Kernel {
        Kernel { waiting: Some(Waiting::Reads), ..Kernel::works(name) }
    }
}

impl Facts for Kernel {
    fn line_mode(&self) -> Option<LineMode> {
        self.mode
    }
    fn waiting(&self) -> Option<Waiting> {
        self.waiting
    }
    fn queued(&self) -> bool {
        self.queued
    }
    fn unread_input(&self) -> Option<u64> {
        self.unread_input
    }
    fn unread_output(&self) -> bool {
        self.unread_output
    }
    fn name(&self) -> Option<String> {
        self.name.map(str::to_owned)
    }
    fn leads(&self) -> bool {
        self.leads
    }
    fn was_replaced(&self) -> bool {
        self.replaced
    }
}

/// A session without input.
struct Session {
    vt: Vt,
    commands: Commands,
    typed: TypedLines,
    unread: Unread,
    ended: bool,
    marks: bool,
    own_pattern: bool,
    pattern: Regex,
    now: Instant,
    last_output: Option<Instant>,
    last_typed: Option<Instant>,
}

impl Session {
    /// A session without marks.
    fn shows(screen: &str) -> Session {
        let mut vt = Vt::new(Size { cols: 40, rows: 5 });
        vt.feed(screen.replace('\n', "\r\n").as_bytes());
        Session {
            vt,
            commands: Commands::default(),
            typed: TypedLines::default(),
            unread: Unread::Nothing,
            ended: false,
            marks: false,
            own_pattern: false,
            pattern: Regex::new(r"[$#>] ?$").unwrap(),
            now: Instant::now(),
            last_output: None,
            last_typed: None,
        }
    }

    /// A shell with marks, at its prompt.
    fn at_prompt() -> Session {
        let mut session = Session::shows("$ ");
        session.marks = true;
        session.mark(&ShellMark::PromptEnd);
        session
    }

    /// The same, with a command that runs.
    fn runs(screen: &str) -> Session {
        let mut session = Session::at_prompt();
        session.mark(&ShellMark::CommandStart);
        session.vt.feed(screen.as_bytes());
        session
    }

    fn moment(&self) -> Moment {
        let (position, seq, stamp) = (self.vt.position(), self.vt.seq(), self.vt.cursor_stamp());
        Moment { position, seq, stamp, ms: 0 }
    }

    fn mark(&mut self, mark: &ShellMark) {
        let moment = self.moment();
        self.commands.marked(mark, moment);
    }

    fn types(&mut self, lines: u32) {
        let (seq, position) = (self.vt.seq(), self.vt.position());
        self.typed.typed(seq, false);
        if lines > 0 {
            self.typed.entered(Echo { seq, position, lines, shown: EchoedBy::Surely });
        }
    }

    fn after(mut self, ms: u64) -> Session {
        self.last_output = Some(self.now);
        self.last_typed = Some(self.now);
        self.now += Duration::from_millis(ms);
        self
    }

    fn observe(&self, kernel: &Kernel) -> Observation<'_, Kernel> {
        Observation {
            now: self.now,
            vt: &self.vt,
            commands: &self.commands,
            typed: &self.typed,
            unread: self.unread,
            last_typed: self.last_typed,
            last_output: self.last_output,
            ended: self.ended,
            marks: self.marks,
            prompt_pattern: &self.pattern,
            own_pattern: self.own_pattern,
            facts: kernel.clone(),
        }
    }

    fn does(&self, kernel: &Kernel) -> Activity {
        self.observe(kernel).activity()
    }
}

fn running(program: &str) -> Activity {
    Activity::Running { program: Some(program.to_owned()) }
}

fn waiting(program: &str) -> Activity {
    Activity::WaitingForInput { program: Some(program.to_owned()) }
}

#[test]
fn a_program_is_running_until_the_kernel_sees_it_wait() {
    let works = Kernel::works("make");
    let keys = Kernel { waiting: Some(Waiting::Events), mode: Some(KEYS), ..works.clone() };
    for (kernel, activity) in [
        (works.clone(), running("make")),
        (Kernel::reads("make"), waiting("make")),
        // It has not read its input, or its output was not read.
        (Kernel { unread_input: Some(3), ..Kernel::reads("make") }, running("make")),
        (Kernel { unread_output: true, ..Kernel::reads("make") }, running("make")),
        // A program that waits for any event waits for keys if it reads keys one by one.
        (keys, waiting("make")),
        (Kernel { waiting: Some(Waiting::Events), ..works.clone() }, running("make")),
        (Kernel { waiting: None, ..works.clone() }, running("make")),
        // Programs that are recognized by name.
        (Kernel::works("less"), Activity::Pager { program: "less".into() }),
        (Kernel::reads("vim"), Activity::Editor { program: "vim".into() }),
        // A program in a nested terminal cannot be observed.
        (Kernel::reads("ssh"), running("ssh")),
    ] {
        assert_eq!(Session::runs("\r\ncc a.c\r\n").does(&kernel), activity, "{:?}", kernel.waiting);
    }
}

#[test]
fn a_shell_at_its_prompt_waits_for_a_command() {
    let shell = Kernel { leads: true, mode: Some(KEYS), ..Kernel::reads("bash") };
    assert_eq!(Session::at_prompt().does(&shell), Activity::Prompt);
    let mut ended = Session::at_prompt();
    ended.ended = true;
    assert_eq!(ended.does(&shell), Activity::Exited);
    // The shell has not read a typed line.
    let mut typed = Session::at_prompt();
    typed.unread = Unread::Lines;
    let busy = Kernel { waiting: Some(Waiting::No), ..shell.clone() };
    assert_eq!(typed.does(&busy), running("bash"));
    assert_eq!(typed.does(&shell), Activity::Prompt, "the shell was seen reading");
    // Between a command's end and its prompt the shell does not wait for input, unless it is quiet for long.
    let comes = || {
        let mut session = Session::runs("\r\n");
        session.mark(&ShellMark::CommandEnd { code: 0 });
        session
    };
    assert_eq!(comes().after(249).does(&shell), running("bash"));
    assert_eq!(comes().after(250).does(&shell), waiting("bash"));
}

#[test]
fn a_question_for_a_secret_is_certain_by_line_mode_and_suspected_by_look() {
    let hidden = Kernel { mode: Some(HIDDEN), ..Kernel::reads("sudo") };
    assert_eq!(Session::runs("\r\n[sudo] password: ").does(&hidden), Activity::SecretInput);
    let inside = Kernel { mode: Some(KEYS), ..Kernel::works("ssh") };
    assert_eq!(Session::runs("\r\nroot's password: ").does(&inside), Activity::SecretSuspected);
    assert_eq!(Session::runs("\r\nlast login: ").does(&inside), running("ssh"));
    // A full-screen program without a nested terminal may draw anything.
    let draws = Kernel { mode: Some(KEYS), ..Kernel::works("fzf") };
    assert_eq!(Session::runs("\x1b[?1049hpassword: ").does(&draws), running("fzf"));
    assert!(Session::runs("\r\npassword: ").observe(&hidden).asks());
    let mut ended = Session::runs("\r\npassword: ");
    ended.ended = true;
    assert!(ended.observe(&hidden).asked_secret().is_none());
}

#[test]
fn a_program_that_masks_keys_asks_for_a_secret_unless_the_line_was_typed() {
    use Activity::{SecretInput, SecretSuspected};
    let shell = "$ node ask.js\r\n";
    for (program, mode, screen, asked) in [
        ("node", KEYS, "? Password: ", Some(SecretSuspected)), // inquirer
        ("node", KEYS, "? Password: ***", Some(SecretInput)),
        ("gum", KEYS, "Password > •••", Some(SecretInput)),
        ("sudo", KEYS, "[sudo] password for a: *", Some(SecretInput)),
        ("python3", KEYS, "Password: ****", Some(SecretInput)), // getpass with echo_char
        ("pinentry-curses", KEYS, "\x1b[?1049h│ PIN: ****", Some(SecretInput)),
        ("python3", KEYS, "Token: abc", None),
        ("vim", KEYS, "\x1b[?1049hpassword: ", None),
        ("less", KEYS, "\x1b[?1049h/password", None),
        ("fzf", KEYS, "Search: ***", None),
        // A log, and a question whose answer the kernel shows.
        ("make", LINES, "Password: ", None),
        ("make", LINES, "Password: ****", None),
        ("node", KEYS, "Password: ***\r\n", None),
    ] {
        let session = Session::runs(&format!("{shell}{screen}"));
        let kernel = Kernel { mode: Some(mode), ..Kernel::reads(program) };
        assert_eq!(session.observe(&kernel).asked_secret(), asked, "{screen:?}");
    }
    // What looks like a question was typed, at the shell's prompt or in another program.
    let keys = Kernel { mode: Some(KEYS), leads: true, ..Kernel::reads("bash") };
    let mut prompt = Session::at_prompt();
    prompt.vt.feed(b"grep password: ");
    assert_eq!(prompt.observe(&keys).asked_secret(), None);
    let mut repl = Session::shows(">>> ");
    repl.typed.typed_into(Some(repl.vt.position().line));
    repl.vt.feed(b"print('password: ");
    assert_eq!(repl.observe(&keys).asked_secret(), None);
    repl.typed.typed_into(None);
    repl.vt.feed(b"')\r\npassword: ");
    assert_eq!(repl.observe(&keys).asked_secret(), Some(SecretSuspected));
}

#[test]
fn without_marks_a_prompt_is_guessed_by_its_look() {
    let repl = Kernel::reads("python3");
    let prompt = |session: &Session, kernel: &Kernel| session.observe(kernel).prompt();
    let guessed = Session::shows(">>> ");
    assert_eq!(prompt(&guessed, &repl), Some(Prompt { seq: 4, guessed: true }));
    assert_eq!(guessed.does(&repl), waiting("python3"));
    // A busy program may look like anything; and blanks are no prompt.
    assert_eq!(prompt(&guessed, &Kernel { mode: Some(LINES), ..Kernel::works("python3") }), None);
    assert_eq!(prompt(&Session::shows("  "), &repl), None);
    assert!(guessed.observe(&Kernel::works("python3")).perhaps_prompt());
    // A server that left the terminal in line mode may forward input, but not inside a shell.
    let server = Kernel { waiting: Some(Waiting::Events), ..Kernel::works("telnet") };
    assert!(prompt(&guessed, &server).is_some());
    let mut inside = Session::runs("\r\n> ");
    assert_eq!(prompt(&inside, &server), None);
    // A pattern that was given for the session is trusted.
    inside.own_pattern = true;
    assert!(prompt(&inside, &Kernel::works("telnet")).is_some());
    // A typed line makes the prompt outdated.
    let mut typed = Session::shows(">>> ");
    typed.types(1);
    assert_eq!(prompt(&typed, &repl), None);
}

#[test]
fn marks_are_trusted_unless_the_shell_has_lost_them() {
    let shell = Kernel { leads: true, mode: Some(LINES), ..Kernel::reads("bash") };
    let looks = Session::runs("\r\n$ ");
    assert_eq!(looks.observe(&shell).prompt(), None, "its own output looks like a prompt");
    let edits = Kernel { mode: Some(KEYS), ..shell.clone() };
    assert!(looks.observe(&edits).prompt().is_some(), "it edits a line without a mark");
    let other = Kernel { leads: false, ..shell.clone() };
    assert!(looks.observe(&other).prompt().is_some(), "a program inside it reads");
    assert!(looks.observe(&Kernel { replaced: true, ..shell }).prompt().is_some());
}

#[test]
fn a_shell_waits_once_it_has_read_all_input() {
    let reads = Kernel { leads: true, mode: Some(KEYS), ..Kernel::reads("bash") };
    let works = Kernel { waiting: Some(Waiting::No), ..reads.clone() };
    let mut session = Session::at_prompt();
    assert!(session.observe(&works).shell_waits(), "nothing was typed");
    for unread in [Unread::Keys, Unread::Lines] {
        session.unread = unread;
        assert!(session.observe(&reads).shell_waits() && !session.observe(&works).shell_waits());
    }
    assert!(!session.observe(&Kernel { queued: true, ..reads.clone() }).shell_waits());
    assert!(!Session::runs("").observe(&reads).shell_waits());
    // If the kernel cannot tell, the shell has some time to echo a key.
    let mut typed = Session::at_prompt().after(99);
    typed.unread = Unread::Keys;
    let unknown = Kernel { waiting: None, ..reads };
    assert!(!typed.observe(&unknown).shell_waits());
    let mut typed = Session::at_prompt().after(100);
    typed.unread = Unread::Keys;
    assert!(typed.observe(&unknown).shell_waits());
}

#[test]
fn a_program_reads_again_once_it_has_read_its_input() {
    let reads = |session: &Session, kernel: &Kernel| session.observe(kernel).reads();
    let session = Session::shows("name? ");
    assert!(reads(&session, &Kernel::reads("read")) && !reads(&session, &Kernel::works("read")));
    assert!(!reads(&session, &Kernel { unread_input: Some(1), ..Kernel::reads("read") }));
    // If the kernel cannot tell, the look of the screen decides.
    assert!(!reads(&session, &Kernel { waiting: None, ..Kernel::works("read") }));
    assert!(reads(&Session::shows("> "), &Kernel { waiting: None, ..Kernel::works("read") }));
    assert!(!reads(&session, &Kernel { queued: true, ..Kernel::reads("read") }));
}

#[test]
fn a_prompt_that_is_due_is_worth_waiting_for() {
    let kernel = Kernel::works("make");
    let mut comes = Session::runs("");
    assert_eq!(comes.observe(&kernel).prompt_comes_in(), Duration::ZERO);
    comes.mark(&ShellMark::CommandEnd { code: 0 });
    assert_eq!(comes.observe(&kernel).prompt_comes_in(), PROMPT_COMES);
    // A program has some time to end after input.
    let left = Session::runs("").after(200).observe(&kernel).prompt_comes_in();
    assert_eq!(left, Duration::from_millis(300));
}

#[test]
fn a_line_is_started_when_there_is_typed_text_at_the_prompt() {
    let kernel = Kernel { leads: true, mode: Some(KEYS), ..Kernel::reads("bash") };
    let started = |session: &Session| {
        let Phase::Prompt(prompt) = session.commands.phase() else { panic!("not at the prompt") };
        session.observe(&kernel).line_is_started(prompt)
    };
    let mut session = Session::at_prompt();
    assert!(!started(&session));
    session.vt.feed(b"[1] done");
    assert!(!started(&session), "a job wrote this, and no client typed");
    let mut session = Session::at_prompt();
    session.types(0);
    assert!(!started(&session), "the cursor is where the prompt ends");
    session.vt.feed(b"ls");
    assert!(started(&session));
    session.vt.feed(b"\x08\x08\x1b[K");
    assert!(!started(&session), "the text was deleted");
    // A line that was entered while the command before it ran is not at this prompt.
    let mut session = Session::runs("\r\n");
    session.types(1);
    session.vt.feed(b"typed\r\n");
    session.mark(&ShellMark::CommandEnd { code: 0 });
    session.vt.feed(b"$ ");
    session.mark(&ShellMark::PromptEnd);
    session.vt.feed(b"x");
    assert!(!started(&session));
    // Text without Enter is shown at the next prompt.
    let mut session = Session::runs("\r\n");
    session.types(0);
    session.mark(&ShellMark::CommandEnd { code: 0 });
    session.vt.feed(b"$ ");
    session.mark(&ShellMark::PromptEnd);
    session.vt.feed(b"x");
    assert!(started(&session));
    // A line of several rows.
    let mut session = Session::at_prompt();
    session.types(0);
    session.vt.feed(&b"x".repeat(90));
    assert!(started(&session));
}
