//! What a session is doing, from what the shell marks, what the kernel knows and, last, what the screen looks like.

use std::time::Duration;

use cotty_protocol::op::Activity;
use cotty_pty::facts::Waiting;

use super::observation::Observation;
use crate::keyboard::secret;
use crate::wait::facts::Facts;

/// How long the shell may be quiet between a command's end and its prompt.
const PROMPT_QUIET: Duration = Duration::from_millis(250);

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

impl<F: Facts> Observation<'_, F> {
    /// What it is doing.
    pub(crate) fn activity(&self) -> Activity {
        if self.ended {
            return Activity::Exited;
        }
        if let Some(asked) = self.asked_secret() {
            return asked;
        }
        match self.marks {
            true if self.at_prompt() && self.prompt().is_some() => Activity::Prompt,
            // It looks like a prompt, but nobody knows whether of a shell.
            false if self.prompt().is_some() => Activity::WaitingForInput { program: self.facts.name() },
            _ => self.program_activity(),
        }
    }

    /// Whether, and how surely, a secret is asked for.
    pub(crate) fn asked_secret(&self) -> Option<Activity> {
        let mode = self.line_mode().filter(|_| !self.ended)?;
        if mode.asks_for_secret() {
            return Some(Activity::SecretInput);
        }
        // Not shown and not in lines: a terminal further in may be asking, which only its look can tell.
        (!mode.echo && self.asks_further_in()).then_some(Activity::SecretSuspected)
    }

    fn asks_further_in(&self) -> bool {
        secret::looks_like_question(&self.row_to_cursor()) && self.has_a_terminal_inside()
    }

    fn has_a_terminal_inside(&self) -> bool {
        self.facts.name().is_some_and(|name| secret::has_a_terminal_inside(&name))
    }

    fn program_activity(&self) -> Activity {
        let program = self.facts.name();
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
        let waits = match self.facts.waiting() {
            Some(Waiting::Reads) => true,
            // One that takes keys one by one waits for them, too; a server that left the terminal as it was does not.
            Some(Waiting::Events) => self.takes_keys(),
            Some(Waiting::No) | None => false,
        };
        waits && self.is_up_to_date()
    }

    /// Whether the shell is on its way from a command's end to its prompt. What is quiet there for long asks something.
    fn draws_prompt(&self) -> bool {
        let quiet = self.last_output.is_some_and(|at| self.since(at) >= PROMPT_QUIET);
        self.marks && self.commands.comes_to_prompt() && !quiet
    }

    /// Whether a person, or an agent, has to type something for the program to go on.
    pub(crate) fn asks(&self) -> bool {
        // Of one whose first program has gone (`seq 9 | less`) the kernel does not tell.
        let unknown = || self.takes_keys() && self.facts.waiting().is_none();
        let waits = || self.waits_for_keys() || unknown();
        self.asked_secret().is_some()
            || (self.has_taken_input() && waits() && !self.draws_prompt() && !self.has_a_terminal_inside())
    }

    /// Whether the program may be reading the terminal: of one whose terminal is further in, it is not seen when it does
    /// not.
    pub(super) fn may_read(&self) -> bool {
        let may = match self.facts.waiting() {
            Some(Waiting::Reads) | None => true,
            // A server inside a shell does not; what the session is all about may hand on what is typed (`telnet`).
            Some(Waiting::Events) => self.takes_keys() || !self.marks,
            Some(Waiting::No) => self.takes_keys() && self.has_a_terminal_inside(),
        };
        may && self.is_up_to_date()
    }

    /// Whether the program has taken what was typed and waits for more.
    pub(crate) fn reads(&self) -> bool {
        self.has_taken_input()
            && self.facts.waits_for_input().unwrap_or_else(|| self.prompt().is_some())
            && self.is_up_to_date()
    }
}
