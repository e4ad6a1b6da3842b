//! The daemon's end of the PTY: reads from it, and handles a terminal that every process has closed.

use std::io;

use cotty_pty::{Pty, Watched};
use rustix::io::Errno;
use tokio::io::Interest;

use crate::durable::journal::LiveJournal;

/// The daemon's end of a PTY.
pub(crate) struct Terminal {
    pty: Watched,
    /// No process has the terminal open. While the program lives, it can open /dev/tty again.
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

    /// Waits until it can be read; returns whether it was closed. Readiness lasts until the kernel has no more output.
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

    /// Notes output: a terminal that was closed has been opened again.
    pub(super) fn note_output(&mut self) {
        if self.hung_up && self.pty.renew().is_ok() {
            self.hung_up = false;
        }
    }

    /// Handles a terminal that was closed and opened again in between: the runtime saw a hang-up and would report the
    /// descriptor as ready for ever, though there is nothing to read.
    pub(super) fn forget_hang_up(&mut self, closed: bool) {
        if closed && !self.hung_up && self.pty.renew().is_err() {
            self.hung_up = true;
        }
    }

    /// Watches the terminal for readiness, unless there is more to read anyway.
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
