//! The input queue: typed input and the engine's replies on their way to the program, in the order they were accepted.
//!
//! The queue is a memfd that the keeper holds, and the kernel keeps our position in it: `sendfile` moves bytes into the
//! PTY and advances the shared file position in one system call. A daemon that is killed leaves a correct position, so
//! the next one continues with the next byte: no byte is lost or sent twice.
//!
//! Any process of the same user may be able to read this memory. So input is erased as soon as the terminal has taken it, except
//! input that a recording may contain: the next daemon may have to write it there.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FallocateFlags, SeekFrom};
use rustix::io::Errno;

use super::live::MOST;
use super::mapping::memory;

/// The memory of sent input is freed in steps of this size.
const TRIM: u64 = 1 << 20;
/// The most bytes that may wait for a program that does not read.
pub(crate) const MOST_WAITING: u64 = 64 << 20;

/// The most bytes that one `push` sends.
const TURN: usize = 64 * 1024;

/// The result of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// Everything is sent.
    All,
    /// More input waits, and the terminal may take it.
    Some,
    /// More input waits, but the terminal is full.
    Blocked,
    /// More input waits until the program has read what was sent.
    Held,
}

/// The input queue of one session.
#[derive(Debug)]
pub(crate) struct InputQueue {
    fd: OwnedFd,
    /// The end of the accepted input.
    end: u64,
    trimmed: u64,
    /// Sent input up to here is erased, except what is kept.
    erased: u64,
    /// Input that is kept when it is sent, in order. Ranges that were sent are removed from this list, not from memory.
    kept: VecDeque<(u64, u64)>,
    /// Send nothing after this position for now. It is not saved: the next daemon does not need it.
    hold: Option<u64>,
}

impl InputQueue {
    /// An empty queue, and the descriptor for the keeper.
    pub(crate) fn create() -> io::Result<(InputQueue, OwnedFd)> {
        let fd = memory("cotty-input", 0)?;
        let kept = fd.as_fd().try_clone_to_owned()?;
        Ok((InputQueue::new(fd), kept))
    }

    /// The queue of an adopted session, without the input that was sent, except the ranges to keep. The journal says where it
    /// ends.
    pub(crate) fn adopt(fd: OwnedFd, kept: impl IntoIterator<Item = (u64, u64)>) -> InputQueue {
        let mut queue = InputQueue::new(fd);
        kept.into_iter().for_each(|(from, to)| queue.keep(from, to));
        queue.erase_sent();
        queue
    }

    fn new(fd: OwnedFd) -> InputQueue {
        InputQueue { fd, end: 0, trimmed: 0, erased: 0, kept: VecDeque::new(), hold: None }
    }

    /// The end of the accepted input.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Writes bytes after the end. They count only when the journal has their record and [`InputQueue::accept`] is called.
    pub(crate) fn stage(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if self.waiting() + bytes.len() as u64 > MOST_WAITING {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "too much unread input"));
        }
        self.stage_first(bytes)
    }

    /// The same however much waits, for bytes before which the waiting input will be dropped.
    pub(crate) fn stage_first(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let mut at = self.end;
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = rustix::io::pwrite(&self.fd, rest, at)?;
            rest = &rest[count..];
            at += count as u64;
        }
        Ok(at)
    }

    /// The bytes of a range, as long as they are not erased.
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
        // Erased memory reads as zeros, and input is never only zeros.
        (from >= self.trimmed && bytes.iter().any(|&byte| byte != 0)).then_some(bytes)
    }

    /// Erases staged bytes that were not accepted.
    pub(crate) fn unstage(&mut self) {
        let len = rustix::fs::fstat(&self.fd).map_or(self.end, |stat| stat.st_size.cast_unsigned());
        self.erase(self.end, len);
    }

    /// Keeps a range, accepted or about to be, when it is sent: a recording may contain it.
    pub(crate) fn keep(&mut self, from: u64, to: u64) {
        let from = from.max(self.erased).max(self.kept.back().map_or(0, |&(_, to)| to));
        match self.kept.back_mut() {
            _ if from >= to => {}
            Some(last) if last.1 == from => last.1 = to,
            _ => self.kept.push_back((from, to)),
        }
    }

    /// Makes the staged bytes up to `end` part of the queue.
    pub(crate) fn accept(&mut self, end: u64) {
        self.end = end;
    }

    /// The same for input that an earlier daemon accepted. `false`: `end` is impossible, and all bytes in the queue are
    /// accepted instead.
    pub(crate) fn accept_again(&mut self, end: u64) -> bool {
        let there = rustix::fs::fstat(&self.fd).map_or(0, |stat| stat.st_size.cast_unsigned());
        // A new queue in place of a lost one is empty and continues its count.
        let sound = end <= there || (there == 0 && end < MOST);
        self.end = if sound { end } else { there };
        sound
    }

    /// Makes journal and queue agree if one of them lost its newest part: input that was sent counts as accepted, and
    /// missing input is skipped.
    pub(crate) fn reconcile(&mut self) {
        self.end = self.end.max(self.position());
        let is_there = rustix::fs::fstat(&self.fd).is_ok_and(|stat| stat.st_size.cast_unsigned() >= self.end);
        if !is_there {
            let _ = rustix::fs::seek(&self.fd, SeekFrom::Start(self.end));
        }
    }

    /// Holds back the input after this position, so that the program reads it separately from the input before.
    pub(crate) fn hold_at(&mut self, place: u64) {
        self.hold = Some(place);
    }

    /// Releases held input: the program has read what was sent, or had the time to.
    pub(crate) fn go_on(&mut self) {
        self.hold = None;
    }

    /// How many bytes have not been sent yet.
    pub(crate) fn waiting(&self) -> u64 {
        self.end.saturating_sub(self.position())
    }

    /// How many line ends wait.
    pub(crate) fn waiting_lines(&self) -> u32 {
        let bytes = self.bytes(self.position(), self.end).unwrap_or_default();
        let ends = bytes.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
        u32::try_from(ends).unwrap_or(u32::MAX)
    }

    /// Drops the waiting input before this position.
    pub(crate) fn skip_to(&mut self, place: u64) {
        if self.position() < place && rustix::fs::seek(&self.fd, SeekFrom::Start(place)).is_ok() {
            self.erase_sent();
        }
    }

    /// Sends as much as the terminal takes now, but not more than `TURN` bytes: a terminal that no program reads accepts a
    /// long line without end, and discards it.
    pub(crate) fn push(&mut self, pty: impl AsFd) -> Result<Pushed, Errno> {
        let pushed = self.send(pty);
        self.erase_sent();
        pushed
    }

    fn send(&mut self, pty: impl AsFd) -> Result<Pushed, Errno> {
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
                // The queue has no more bytes, whatever the journal says.
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
            self.erase(self.trimmed, position);
            self.trimmed = position;
        }
    }

    /// Erases the input that was sent, except what is kept.
    fn erase_sent(&mut self) {
        let position = self.position();
        while let Some((from, to)) = self.kept.pop_front_if(|(from, _)| *from < position) {
            self.erase(self.erased, from);
            self.erased = to.min(position);
            if position < to {
                self.kept.push_front((position, to));
            }
        }
        self.erase(self.erased, position);
        self.erased = self.erased.max(position);
    }

    /// Erased memory reads as zeros.
    fn erase(&self, from: u64, to: u64) {
        if from < to {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let _ = rustix::fs::fallocate(&self.fd, flags, from, to - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_pty::{Pty, WindowSize};

    #[test]
    fn a_megabyte_reaches_a_slow_reader_complete_even_if_the_daemon_changes() {
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
                // The old daemon is gone; the new one has only the keeper's descriptor and the end from the journal.
                queue = InputQueue::adopt(kept, []);
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
    fn held_input_is_sent_separately() {
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

    fn all(queue: &InputQueue) -> Vec<u8> {
        let len = rustix::fs::fstat(&queue.fd).unwrap().st_size;
        let mut bytes = vec![0; usize::try_from(len).unwrap()];
        rustix::io::pread(&queue.fd, &mut bytes, 0).unwrap();
        bytes
    }

    #[test]
    fn sent_input_is_erased_unless_it_is_kept() {
        let (pty, _slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let (mut queue, fd) = InputQueue::create().unwrap();
        let mut types = |text: &[u8], kept: bool| {
            let (from, to) = (queue.end(), queue.stage(text).unwrap());
            queue.accept(to);
            if kept {
                queue.keep(from, to);
            }
            queue.hold_at(7);
            queue.push(&pty).unwrap();
            all(&queue)
        };
        assert_eq!(types(b"hid", false), b"\0\0\0");
        assert_eq!(types(b"kep", true), b"\0\0\0kep");
        // A part of it is sent.
        assert_eq!(types(b"hid", false), b"\0\0\0kep\0id");
        assert_eq!(types(b"kep", true), b"\0\0\0kep\0idkep");
        assert_eq!(queue.bytes(3, 6).as_deref(), Some(b"kep".as_slice()));

        // The next daemon keeps what it is told to, and erases all else that was sent.
        rustix::io::pwrite(&fd, b"old", 0).unwrap();
        let mut next = InputQueue::adopt(fd, [(4, 6), (9, 12)]);
        assert_eq!(all(&next), b"\0\0\0\0ep\0idkep");
        next.accept(12);
        next.keep(3, 6);
        next.push(&pty).unwrap();
        assert_eq!(all(&next), b"\0\0\0\0ep\0\0\0kep");
        next.stage(b"refused").unwrap();
        next.unstage();
        assert_eq!(all(&next)[12..], [0; 7]);
    }

    #[test]
    fn skipped_input_is_erased_and_never_sent() {
        let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let (mut queue, _kept) = InputQueue::create().unwrap();
        let first = queue.stage(b"one\ntwo\n").unwrap();
        queue.accept(first);
        assert_eq!(queue.waiting_lines(), 2);
        let end = queue.stage_first(b"next\n").unwrap();
        queue.accept(end);
        // Twice, as in a replay.
        queue.skip_to(first);
        queue.skip_to(first);
        assert_eq!(all(&queue), b"\0\0\0\0\0\0\0\0next\n");
        assert_eq!(queue.push(&pty).unwrap(), Pushed::All);
        queue.skip_to(first);
        let mut buffer = [0; 64];
        assert_eq!(rustix::io::read(&slave, &mut buffer).unwrap(), 5);
    }

    #[test]
    fn input_that_was_staged_but_not_accepted_is_not_sent() {
        let (pty, _slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        let (mut queue, _kept) = InputQueue::create().unwrap();
        queue.stage(b"half").unwrap();
        assert_eq!(queue.push(&pty).unwrap(), Pushed::All);
        assert_eq!(queue.position(), 0);
    }
}
