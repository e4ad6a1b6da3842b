//! What a session is doing: from the shell's marks, the kernel's facts and, last, the look of the screen.

use std::time::Duration;

use cotty_protocol::op::Activity;
use cotty_pty::facts::Waiting;

use super::observation::Observation;
use crate::keyboard::secret::{self, Asked};
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
    /// What the session is doing.
    pub(crate) fn activity(&self) -> Activity {
        if self.ended {
            return Activity::Exited;
        }
        if let Some(asked) = self.asked_secret() {
            return asked;
        }
        match self.marks {
            true if self.at_prompt() && self.prompt().is_some() => Activity::Prompt,
            // It looks like a prompt, but perhaps not a shell's.
            false if self.prompt().is_some() => Activity::WaitingForInput { program: self.facts.name() },
            _ => self.program_activity(),
        }
    }

    /// Whether the program asks for a secret, surely or perhaps.
    pub(crate) fn asked_secret(&self) -> Option<Activity> {
        let mode = self.line_mode().filter(|_| !self.ended)?;
        if mode.asks_for_secret() {
            return Some(Activity::SecretInput);
        }
        // The program reads keys and echoes them itself, or has a nested terminal. Only the look of the screen can tell. At the
        // shell's prompt, or where visible input was typed, the line is that input.
        if mode.echo
            || (self.marks && self.at_prompt() && self.facts.leads())
            || self.typed.is_visible(self.vt.position().line)
        {
            return None;
        }
        let asked = secret::asked_on(&self.row_to_cursor()).filter(|_| self.may_ask_here())?;
        Some(match asked {
            Asked::Perhaps => Activity::SecretSuspected,
            Asked::Surely => Activity::SecretInput,
        })
    }

    fn may_ask_here(&self) -> bool {
        let may = |name: String| secret::may_ask_on_alternate_screen(&name);
        !self.vt.modes().alt_screen || self.facts.name().is_some_and(may)
    }

    fn has_a_terminal_inside(&self) -> bool {
        self.facts.name().is_some_and(|name| secret::has_a_terminal_inside(&name))
    }

    fn program_activity(&self) -> Activity {
        let program = self.facts.name();
        match program.as_deref() {
            Some(name) if PAGERS.contains(&name) => return Activity::Pager { program: name.to_owned() },
            Some(name) if EDITORS.contains(&name) => return Activity::Editor { program: name.to_owned() },
            // Programs in its nested terminal cannot be observed.
            Some(name) if secret::has_a_terminal_inside(name) => return Activity::Running { program },
            _ => {}
        }
        match self.has_taken_input() && self.waits_for_keys() && !self.draws_prompt() {
            true => Activity::WaitingForInput { program },
            false => Activity::Running { program },
        }
    }

    /// Whether the kernel sees the program wait for typed input.
    fn waits_for_keys(&self) -> bool {
        let waits = match self.facts.waiting() {
            Some(Waiting::Reads) => true,
            // A program that reads keys one by one waits for them, too; a server that left the terminal in line mode does
            // not.
            Some(Waiting::Events) => self.takes_keys(),
            Some(Waiting::No) | None => false,
        };
        waits && self.is_up_to_date()
    }

    /// Whether the shell is between a command's end and its prompt. If it is quiet there for long, it waits for input.
    fn draws_prompt(&self) -> bool {
        let quiet = self.last_output.is_some_and(|at| self.since(at) >= PROMPT_QUIET);
        self.marks && self.commands.prompt_is_due() && !quiet
    }

    /// Whether the program needs typed input to continue.
    pub(crate) fn asks(&self) -> bool {
        // After the first program of a pipe has ended (`seq 9 | less`), the kernel cannot tell.
        let unknown = || self.takes_keys() && self.facts.waiting().is_none();
        let waits = || self.waits_for_keys() || unknown();
        self.asked_secret().is_some()
            || (self.has_taken_input() && waits() && !self.draws_prompt() && !self.has_a_terminal_inside())
    }

    /// Whether the program may be reading the terminal. With a nested terminal this cannot be ruled out.
    pub(super) fn may_read(&self) -> bool {
        let may = match self.facts.waiting() {
            Some(Waiting::Reads) | None => true,
            // A server inside a shell does not; the session's only program may forward input (`telnet`).
            Some(Waiting::Events) => self.takes_keys() || !self.marks,
            Some(Waiting::No) => self.takes_keys() && self.has_a_terminal_inside(),
        };
        may && self.is_up_to_date()
    }

    /// Whether the program has read its input and waits for more.
    pub(crate) fn reads(&self) -> bool {
        self.has_taken_input()
            && self.facts.waits_for_input().unwrap_or_else(|| self.prompt().is_some())
            && self.is_up_to_date()
    }
}
