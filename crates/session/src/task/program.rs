//! What the kernel knows of the program in a terminal.

use cotty_pty::Pty;
use cotty_pty::facts::{self, LineMode, Waiting};
use rustix::process::Pid;

use crate::Meta;
use crate::input::Typing;
use crate::shell::was_replaced;

/// What the kernel knows of a program. Each question costs a system call or more, and is asked only when it is needed.
pub(crate) trait Facts {
    /// How the line discipline treats input.
    fn line_mode(&self) -> Option<LineMode>;
    /// What the program in the foreground waits for, where the kernel tells.
    fn waiting(&self) -> Option<Waiting>;
    /// Whether the program in the foreground waits for input, or for anything to happen as an editor does.
    fn waits_for_input(&self) -> Option<bool> {
        self.waiting().map(|waiting| waiting != Waiting::No)
    }
    /// Whether input was typed that the program has not been given.
    fn queued(&self) -> bool;
    /// Bytes that were typed and that the program has not read.
    fn unread_input(&self) -> Option<u64>;
    /// Whether the program has said something that has not been read.
    fn unread_output(&self) -> bool;
    /// The name of the program in the foreground.
    fn name(&self) -> Option<String>;
    /// Whether the session's first program is in the foreground, or nobody knows.
    fn leads(&self) -> bool;
    /// Whether the shell that marked became a program that does not.
    fn was_replaced(&self) -> bool;
}

/// The program of a session, as the kernel sees it.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) pty: &'a Pty,
    pub(crate) pid: u32,
    pub(crate) meta: &'a Meta,
    pub(crate) typing: &'a Typing,
}

impl Program<'_> {
    /// The process that was started first.
    pub(crate) fn first(&self) -> Option<Pid> {
        i32::try_from(self.pid).ok().and_then(Pid::from_raw)
    }

    /// The process group in the foreground, or that of the first process.
    pub(crate) fn group(&self) -> Option<Pid> {
        facts::foreground(self.pty).or_else(|| self.first())
    }
}

impl Facts for Program<'_> {
    fn line_mode(&self) -> Option<LineMode> {
        facts::line_mode(self.pty)
    }

    fn waiting(&self) -> Option<Waiting> {
        facts::waiting(self.pty)
    }

    fn queued(&self) -> bool {
        self.typing.is_queued()
    }

    fn unread_input(&self) -> Option<u64> {
        facts::unread_input(self.pty)
    }

    fn unread_output(&self) -> bool {
        facts::unread_output(self.pty)
    }

    fn name(&self) -> Option<String> {
        facts::reader_name(self.pty)
    }

    fn leads(&self) -> bool {
        let foreground = facts::foreground(self.pty);
        foreground.is_none_or(|pid| pid.as_raw_nonzero().get().unsigned_abs() == self.pid)
    }

    fn was_replaced(&self) -> bool {
        let marked = self.first().zip(self.meta.nonce.as_ref());
        marked.is_some_and(|(pid, nonce)| was_replaced(&self.meta.program, pid, nonce))
    }
}
