//! What daemons write to stderr: the keeper passes it on to the log, and keeps the end of it, the reason why a daemon failed.
//! So the reason survives even if the disk with the log is full.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::pipe::{PipeFlags, pipe_with};

/// How many bytes are kept.
const KEPT: usize = 2048;

/// The pipe, and the last words that came through it.
#[derive(Debug)]
pub(crate) struct Words {
    ours: OwnedFd,
    theirs: OwnedFd,
    last: Vec<u8>,
}

impl Words {
    pub(crate) fn new() -> io::Result<Words> {
        // A daemon must not wait for a keeper that is busy.
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Words { ours, theirs, last: Vec::new() })
    }

    /// The stderr for the next daemon, whose words these are from now on.
    pub(crate) fn stderr(&mut self) -> io::Result<OwnedFd> {
        self.take();
        self.last.clear();
        self.theirs.try_clone()
    }

    /// Takes what was written.
    pub(crate) fn take(&mut self) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = rustix::io::read(&self.ours, &mut buffer) {
            let _ = rustix::io::write(rustix::stdio::stderr(), &buffer[..count]);
            self.last.extend_from_slice(&buffer[..count]);
            self.last.drain(..self.last.len().saturating_sub(KEPT));
        }
    }

    /// Everything that the daemon wrote last, and how it ended.
    pub(crate) fn of_ended(&mut self, ended: &str) -> Vec<u8> {
        self.take();
        match self.last.trim_ascii() {
            b"" => ended.as_bytes().to_vec(),
            last => last.to_vec(),
        }
    }
}

impl AsFd for Words {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ours.as_fd()
    }
}
