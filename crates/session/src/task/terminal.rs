//! The terminal's near end: reading it, and what becomes of a terminal that everybody has closed.

use std::io;

use cotty_pty::{Pty, Watched};
use rustix::io::Errno;
use tokio::io::Interest;

use crate::durable::journal::LiveJournal;

/// A terminal.
pub(crate) struct Terminal {
    pty: Watched,
    /// Nobody has it open. Not the end: /dev/tty can be opened again while the program lives.
    hung_up: bool,
}

impl Terminal {
    pub(super) fn new(pty: Pty) -> io::Result<Terminal> {
        Ok(Terminal { pty: Watched::new(pty)?, hung_up: false })
    }

    pub(crate) fn pty(&self) -> &Pty {
        self.pty.get_ref()
    }

    pub(super) fn watched(&self) -> &Watched {
        &self.pty
    }

    pub(super) fn is_hung_up(&self) -> bool {
        self.hung_up
    }

    /// Ready to be read; whether it was closed. Readiness is kept until the kernel says that there is no more.
    pub(super) async fn readable(&self) -> bool {
        self.pty.readable().await
    }

    pub(super) async fn writable(&self) -> bool {
        self.pty.writable().await
    }

    /// Reads a piece into the journal.
    pub(super) fn read(&mut self, live: &mut LiveJournal) -> io::Result<usize> {
        let read = if self.hung_up {
            live.read_from(self.pty.get_ref()).map_err(io::Error::from)
        } else {
            self.pty.try_io(Interest::READABLE, |pty| Ok(live.read_from(pty)?))
        };
        if let Err(error) = &read {
            self.hung_up |= error.raw_os_error() == Some(Errno::IO.raw_os_error());
        }
        read
    }

    /// It said something: if it was closed, it has been opened again.
    pub(super) fn said_something(&mut self) {
        if self.hung_up && self.pty.renew().is_ok() {
            self.hung_up = false;
        }
    }

    /// A terminal that was closed and opened again before we looked: the runtime saw a hang-up and will call the
    /// descriptor ready for ever, though there is nothing to read.
    pub(super) fn forget_hang_up(&mut self, closed: bool) {
        if closed && !self.hung_up && self.pty.renew().is_err() {
            self.hung_up = true;
        }
    }

    /// A program that prints without end needs no watching; one that has paused does.
    pub(super) fn watch_unless(&mut self, more: bool) {
        if more {
            if self.pty.is_kept() {
                let _ = self.pty.let_go();
            }
        } else if !self.pty.is_kept() && self.pty.renew().is_err() {
            self.hung_up = true;
        }
    }
}
