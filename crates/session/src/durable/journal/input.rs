//! What is on its way to the program: typed input and the engine's replies, in the order they were accepted.
//!
//! The queue is a memfd that the keeper holds, and the kernel keeps our place in it: `sendfile` moves bytes into the
//! PTY and advances the shared file position in one system call. A daemon that is killed in the middle leaves a
//! position that is right, so the next one goes on with the very next byte: nothing is lost and nothing comes twice.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FallocateFlags, SeekFrom};
use rustix::io::Errno;

use super::live::MOST;
use super::mapping::memory;

/// Sent input is given back to the system in steps of this size.
const TRIM: u64 = 1 << 20;
/// Most bytes that may wait for a program that does not read.
pub(crate) const MOST_WAITING: u64 = 64 << 20;

/// Most bytes handed over at a turn.
const TURN: usize = 64 * 1024;

/// How far a push came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// The program has everything.
    All,
    /// There is more, and room for it.
    Some,
    /// There is more, and no room.
    Blocked,
    /// There is more, but not before the program has read what it was given.
    Held,
}

/// The input queue of one session.
#[derive(Debug)]
pub(crate) struct InputQueue {
    fd: OwnedFd,
    /// Where what was accepted ends.
    end: u64,
    trimmed: u64,
    /// Not beyond this, for now. Only a courtesy: the next daemon does not know of it.
    hold: Option<u64>,
}

impl InputQueue {
    /// An empty queue, and the descriptor for the keeper.
    pub(crate) fn create() -> io::Result<(InputQueue, OwnedFd)> {
        let fd = memory("cotty-input", 0)?;
        let kept = fd.as_fd().try_clone_to_owned()?;
        Ok((InputQueue { fd, end: 0, trimmed: 0, hold: None }, kept))
    }

    /// The queue of a session that another daemon served; its journal tells where it ends.
    pub(crate) fn adopt(fd: OwnedFd) -> InputQueue {
        InputQueue { fd, end: 0, trimmed: 0, hold: None }
    }

    /// Where what was accepted ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Lays bytes behind the end. They count only once the journal says so and [`InputQueue::accept`] is called.
    pub(crate) fn stage(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if self.waiting() + bytes.len() as u64 > MOST_WAITING {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "too much unread input"));
        }
        let mut at = self.end;
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = rustix::io::pwrite(&self.fd, rest, at)?;
            rest = &rest[count..];
            at += count as u64;
        }
        Ok(at)
    }

    /// What lies there, as long as it is not given back to the system.
    pub(crate) fn bytes(&self, from: u64, to: u64) -> Option<Vec<u8>> {
        let len = usize::try_from(to.checked_sub(from)?).ok()?;
        let mut bytes = vec![0; len];
        let mut got = 0;
        while got < len {
            match rustix::io::pread(&self.fd, &mut bytes[got..], from + got as u64) {
                Ok(0) | Err(_) => return None,
                Ok(count) => got += count,
            }
        }
        // What was given back reads as zeros, and nobody types only those.
        (from >= self.trimmed && bytes.iter().any(|&byte| byte != 0)).then_some(bytes)
    }

    /// Makes what was staged up to `end` part of the queue.
    pub(crate) fn accept(&mut self, end: u64) {
        self.end = end;
    }

    /// The same for what a daemon before us accepted. `false`: that cannot be true, and all that lies there is taken.
    pub(crate) fn accept_again(&mut self, end: u64) -> bool {
        let there = rustix::fs::fstat(&self.fd).map_or(0, |stat| stat.st_size.cast_unsigned());
        // A queue that was lost and begun anew counts on, and is empty.
        let sound = end <= there || (there == 0 && end < MOST);
        self.end = if sound { end } else { there };
        sound
    }

    /// Makes journal and queue agree where one of them lost its newest part: what the program has been given was accepted,
    /// and what is not there cannot be given any more.
    pub(crate) fn reconcile(&mut self) {
        self.end = self.end.max(self.position());
        let is_there = rustix::fs::fstat(&self.fd).is_ok_and(|stat| stat.st_size.cast_unsigned() >= self.end);
        if !is_there {
            let _ = rustix::fs::seek(&self.fd, SeekFrom::Start(self.end));
        }
    }

    /// What lies behind this place is to be read by itself, not together with what lies before it.
    pub(crate) fn hold_at(&mut self, place: u64) {
        self.hold = Some(place);
    }

    /// The program has read what it was given, or had the time to.
    pub(crate) fn go_on(&mut self) {
        self.hold = None;
    }

    /// Bytes that the program has not been given yet.
    pub(crate) fn waiting(&self) -> u64 {
        self.end.saturating_sub(self.position())
    }

    /// Gives the program what its terminal takes now, but not more than a turn's worth: a terminal that nobody reads
    /// takes a long line for ever, and throws it away.
    pub(crate) fn push(&mut self, pty: impl AsFd) -> Result<Pushed, Errno> {
        let mut left = TURN;
        loop {
            let position = self.position();
            if position >= self.end {
                self.trim(position);
                return Ok(Pushed::All);
            }
            let upto = self.hold.filter(|&place| place < self.end).unwrap_or(self.end);
            let count = usize::try_from(upto.saturating_sub(position)).unwrap_or(usize::MAX);
            if count == 0 {
                return Ok(Pushed::Held);
            }
            if left == 0 {
                return Ok(Pushed::Some);
            }
            match rustix::fs::sendfile(pty.as_fd(), &self.fd, None, count.min(left)) {
                // Nothing is there to be sent, whatever the journal says.
                Ok(0) => return Ok(Pushed::All),
                Ok(sent) => left = left.saturating_sub(sent),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Pushed::Blocked),
                Err(e) => return Err(e),
            }
        }
    }

    fn position(&self) -> u64 {
        rustix::fs::seek(&self.fd, SeekFrom::Current(0)).unwrap_or(self.end)
    }

    fn trim(&mut self, position: u64) {
        if position - self.trimmed >= TRIM {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let _ = rustix::fs::fallocate(&self.fd, flags, self.trimmed, position - self.trimmed);
            self.trimmed = position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_pty::{Pty, WindowSize};

    #[test]
    fn a_megabyte_reaches_a_slow_reader_whole_even_across_an_adoption() {
        let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let mut termios = rustix::termios::tcgetattr(&slave).unwrap();
        termios.make_raw();
        rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &termios).unwrap();
        rustix::io::ioctl_fionbio(&slave, true).unwrap();

        let text: Vec<u8> = (0..1 << 20).map(|i: u32| b'a' + (i % 23) as u8).collect();
        let (mut queue, kept) = InputQueue::create().unwrap();
        let end = queue.stage(&text).unwrap();
        queue.accept(end);

        let mut got: Vec<u8> = Vec::new();
        let mut buffer = vec![0; 4096];
        let mut kept = Some(kept);
        while got.len() < text.len() {
            queue.push(&pty).unwrap();
            if let Some(kept) = kept.take_if(|_| got.len() > text.len() / 2) {
                // The old daemon is gone; the new one has only the keeper's descriptor and the journal's end.
                queue = InputQueue::adopt(kept);
                queue.accept(end);
            }
            match rustix::io::read(&slave, &mut buffer) {
                Ok(n) => got.extend(&buffer[..n]),
                Err(Errno::AGAIN) => {}
                Err(e) => panic!("{e}"),
            }
        }
        assert!(got == text);
        assert_eq!(queue.waiting(), 0);
    }

    #[test]
    fn what_is_held_back_comes_by_itself() {
        let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let mut termios = rustix::termios::tcgetattr(&slave).unwrap();
        termios.make_raw();
        rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &termios).unwrap();
        let (mut queue, _kept) = InputQueue::create().unwrap();
        let end = queue.stage(b"pasted\r").unwrap();
        queue.accept(end);
        queue.hold_at(end - 1);
        assert_eq!(queue.push(&pty).unwrap(), Pushed::Held);
        let mut buffer = [0; 64];
        assert_eq!(rustix::io::read(&slave, &mut buffer).unwrap(), 6);
        assert_eq!(queue.push(&pty).unwrap(), Pushed::Held);
        queue.go_on();
        assert_eq!(queue.push(&pty).unwrap(), Pushed::All);
        assert_eq!(rustix::io::read(&slave, &mut buffer).unwrap(), 1);
    }

    #[test]
    fn what_was_staged_but_not_accepted_is_never_sent() {
        let (pty, _slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let (mut queue, _kept) = InputQueue::create().unwrap();
        queue.stage(b"half").unwrap();
        assert_eq!(queue.push(&pty).unwrap(), Pushed::All);
        assert_eq!(queue.position(), 0);
    }
}
