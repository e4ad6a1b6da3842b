//! What a session is doing, from what the shell marks, what the kernel knows and, last, what the screen looks like.

use std::time::Duration;

use cotty_protocol::op::Activity;
use cotty_pty::facts::{self, Waiting};

use crate::commands::Phase;
use crate::keyboard::secret;
use crate::task::Task;

/// How long the shell may be quiet between a command's end and its prompt.
const PROMPT_COMES: Duration = Duration::from_millis(250);

const PAGERS: &[&str] = &["less", "more", "most", "man", "pager", "pg", "moar", "moor", "ov", "lv", "w3m"];
const EDITORS: &[&str] = &[
    "vi",
    "vim",
    "vim.basic",
    "vim.tiny",
    "vim.nox",
    "vim.gtk3",
    "nvi",
    "nvim",
    "view",
    "vimdiff",
    "rvim",
    "elvis",
    "ex",
    "ed",
    "nano",
    "rnano",
    "pico",
    "emacs",
    "emacs-nox",
    "emacsclient",
    "mg",
    "zile",
    "micro",
    "hx",
    "helix",
    "kak",
    "joe",
    "jed",
    "ne",
    "mcedit",
    "tilde",
    "vis",
    "amp",
];

impl Task {
    pub(crate) fn activity(&self) -> Activity {
        if self.ended.is_some() {
            return Activity::Exited;
        }
        if let Some(asked) = self.asked_secret() {
            return asked;
        }
        let marks = self.meta.nonce.is_some();
        let waits = || self.prompt().is_some();
        match self.saved.commands.phase() {
            Phase::Prompt(_) if marks && waits() => Activity::Prompt,
            // It looks like a prompt, but nobody knows whether of a shell.
            _ if !marks && waits() => Activity::WaitingForInput { program: self.foreground_name() },
            _ => self.program_activity(),
        }
    }

    /// Whether, and how surely, a secret is asked for.
    pub(crate) fn asked_secret(&self) -> Option<Activity> {
        let mode = facts::line_mode(self.pty.get_ref()).filter(|_| self.ended.is_none())?;
        if mode.asks_for_secret() {
            return Some(Activity::SecretInput);
        }
        // Not shown and not in lines: a terminal further in may be asking, which only its look can tell.
        (!mode.echo && self.asks_further_in()).then_some(Activity::SecretSuspected)
    }

    fn program_activity(&self) -> Activity {
        let program = self.foreground_name();
        match program.as_deref() {
            Some(name) if PAGERS.contains(&name) => return Activity::Pager { program: name.to_owned() },
            Some(name) if EDITORS.contains(&name) => return Activity::Editor { program: name.to_owned() },
            // What waits in there is out of sight.
            Some(name) if secret::has_a_terminal_inside(name) => return Activity::Running { program },
            _ => {}
        }
        match self.has_taken_input() && self.waits_for_keys() && !self.draws_prompt() {
            true => Activity::WaitingForInput { program },
            false => Activity::Running { program },
        }
    }

    /// Whether the kernel sees the program wait for what is typed.
    fn waits_for_keys(&self) -> bool {
        let waits = match facts::waiting(self.pty.get_ref()) {
            Some(Waiting::Reads) => true,
            // One that takes keys one by one waits for them, too; a server that left the terminal as it was does not.
            Some(Waiting::Events) => self.takes_keys(),
            Some(Waiting::No) | None => false,
        };
        waits && self.is_up_to_date()
    }

    /// Whether all that the program has said is known here. To be asked after what it waits for: that is as of now, and
    /// what is still to be read may be the prompt.
    fn is_up_to_date(&self) -> bool {
        !facts::unread_output(self.pty.get_ref())
    }

    /// Whether the program takes keys one by one.
    fn takes_keys(&self) -> bool {
        facts::line_mode(self.pty.get_ref()).is_some_and(|mode| !mode.canonical)
    }

    /// Whether the shell is on its way from a command's end to its prompt. What is quiet there for long asks something.
    fn draws_prompt(&self) -> bool {
        let quiet = self.last_output.is_some_and(|at| at.elapsed() >= PROMPT_COMES);
        self.meta.nonce.is_some() && self.saved.commands.comes_to_prompt() && !quiet
    }

    /// Whether a person, or an agent, has to type something for the program to go on.
    pub(crate) fn asks(&self) -> bool {
        let out_of_sight = || self.foreground_name().is_some_and(|name| secret::has_a_terminal_inside(&name));
        // Of one whose first program has gone (`seq 9 | less`) the kernel does not tell.
        let unknown = || self.takes_keys() && facts::waiting(self.pty.get_ref()).is_none();
        let waits = || self.waits_for_keys() || unknown();
        self.asked_secret().is_some()
            || (self.has_taken_input() && waits() && !self.draws_prompt() && !out_of_sight())
    }

    /// Whether the program may be reading the terminal: of one whose terminal is further in, it is not seen when it does
    /// not.
    pub(crate) fn may_read(&self) -> bool {
        let inside = || self.foreground_name().is_some_and(|name| secret::has_a_terminal_inside(&name));
        let may = match facts::waiting(self.pty.get_ref()) {
            Some(Waiting::Reads) | None => true,
            // A server inside a shell does not; what the session is all about may hand on what is typed (`telnet`).
            Some(Waiting::Events) => self.takes_keys() || self.meta.nonce.is_none(),
            Some(Waiting::No) => self.takes_keys() && inside(),
        };
        may && self.is_up_to_date()
    }

    /// Whether the program has taken what was typed and waits for more.
    pub(crate) fn reads(&self) -> bool {
        let waits = || facts::waits_for_input(self.pty.get_ref());
        self.has_taken_input() && waits().unwrap_or_else(|| self.prompt().is_some()) && self.is_up_to_date()
    }

    /// To be asked before what the program waits for: one that takes it after that look was seen waiting for it.
    fn has_taken_input(&self) -> bool {
        self.input.waiting() == 0 && facts::unread_input(self.pty.get_ref()) == Some(0)
    }

    fn asks_further_in(&self) -> bool {
        let cursor = self.vt.cursor();
        let line = self.vt.row_text(cursor.row);
        let upto: String = line.chars().take(usize::from(cursor.col)).collect();
        secret::looks_like_question(&upto)
            && self.foreground_name().is_some_and(|program| secret::has_a_terminal_inside(&program))
    }

    pub(crate) fn foreground_name(&self) -> Option<String> {
        facts::reader_name(self.pty.get_ref())
    }
}
