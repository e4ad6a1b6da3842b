//! What the kernel knows about the program in a terminal.

use std::cell::OnceCell;

use cotty_pty::Pty;
use cotty_pty::facts::{self, LineMode, Reading, Waiting, process_name};
use rustix::process::Pid;

use crate::Meta;
use crate::input::Typing;
use crate::shell::was_replaced;
use crate::wait::facts::Facts;

/// The program of a session, as the kernel sees it at one moment: what is costly is asked once.
pub(crate) struct Program<'a> {
    pub(crate) pty: &'a Pty,
    pub(crate) pid: u32,
    pub(crate) meta: &'a Meta,
    pub(crate) typing: &'a Typing,
    pub(crate) reading: OnceCell<Reading>,
}

impl Program<'_> {
    /// The process that was started first.
    pub(crate) fn first(&self) -> Option<Pid> {
        i32::try_from(self.pid).ok().and_then(Pid::from_raw)
    }

    fn reading(&self) -> Reading {
        *self.reading.get_or_init(|| facts::reading(self.pty))
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
        self.reading().waiting
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
        process_name(self.reading().reader?)
    }

    fn leads(&self) -> bool {
        let foreground = facts::foreground(self.pty);
        foreground.is_none_or(|pid| pid.as_raw_nonzero().get().unsigned_abs() == self.pid)
    }

    fn was_replaced(&self) -> bool {
        let marked = self.first().filter(|_| self.meta.nonce.is_some());
        marked.is_some_and(|pid| was_replaced(&self.meta.program, pid, &self.meta.id))
    }
}
