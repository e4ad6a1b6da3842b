//! The keeper's protocol, version 1 for ever: length-prefixed frames with descriptors over a Unix stream.
//!
//! A frame is `len: u32 | kind: u8 | fds: u8 | id: u32 | body`, little endian; `len` counts the bytes after it. A
//! reply carries the id of its request; an event has id 0. The keeper answers an unknown kind with [`ERROR`] and
//! `ENOSYS`, so that a newer daemon learns what an older keeper cannot do.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// The version, which never changes.
pub const VERSION: u32 = 1;
/// The most descriptors in one frame; the kernel's own limit is 253.
pub const MAX_FDS: usize = 64;
/// The longest frame that either side accepts.
pub const MAX_FRAME: usize = 16 << 20;

/// Request: `version: u32` → [`HELLO`] `version: u32, epoch: u64, pid: u32`.
pub const HELLO: u8 = 1;
/// Request: `key: bytes, blob: bytes, slots: bytes`, descriptors `[child's stdin, child's stdout and stderr, one
/// per slot…]` → [`SPAWN`] `pid: u32`. Forks and execs `cotty __child` and keeps the slots' descriptors.
pub const SPAWN: u8 = 2;
/// Request: empty → [`LIST`] `count: u32`, then for each entry
/// `key: bytes, pid: u32 (0: none), exited: u8, status: i32, slots: bytes, blob: bytes`.
pub const LIST: u8 = 3;
/// Request: `key: bytes` → [`TAKE`] `slots: bytes`, a duplicate of each slot's descriptor.
pub const TAKE: u8 = 4;
/// Request: `key: bytes, slot: u8`, one descriptor → [`PUT`]. Replaces the slot; creates the entry if it does not exist.
pub const PUT: u8 = 5;
/// Request: `key: bytes, blob: bytes` → [`BLOB`]. Replaces the entry's blob; creates the entry if it does not exist.
pub const BLOB: u8 = 6;
/// Request: `key: bytes` → [`FORGET`]. Drops the entry, its descriptors and its exit status.
pub const FORGET: u8 = 7;
/// Request: empty → [`READY`]. The daemon accepts calls now; the keeper notifies the process that waits for that.
pub const READY: u8 = 8;
/// Request: empty → [`STOP`]. When the daemon ends, the keeper ends too instead of starting it again.
pub const STOP: u8 = 9;
/// Request: one descriptor → [`PROGRAM`]. The keeper starts this program from now on, as the next daemon and for new sessions. If
/// the next daemon does not become ready, it goes back to the program before. Not in the first keepers, which start no
/// subreapers either.
pub const PROGRAM: u8 = 10;
/// Event: `key: bytes, status: i32`. An entry's process ended. The entry is kept and listed until [`FORGET`].
pub const EXITED: u8 = 64;
/// Event: empty. The keeper must end: the daemon must end its sessions and exit.
pub const SHUTDOWN: u8 = 65;
/// The key under which the keeper itself stores, as a blob, what the last daemon that failed to start wrote to stderr.
pub const LAST_WORDS: &[u8] = b"last-words";
/// Reply to a request that failed: `errno: i32`.
pub const ERROR: u8 = 127;

/// One message.
#[derive(Debug)]
pub struct Frame {
    /// Its kind: one of the constants of this module.
    pub kind: u8,
    /// The id of its request; 0 for an event.
    pub id: u32,
    /// Its fields.
    pub body: Vec<u8>,
    /// Its descriptors.
    pub fds: Vec<OwnedFd>,
    /// Whether descriptors are missing, because the limit of open files was reached.
    pub cut: bool,
}

impl Frame {
    /// A frame without descriptors.
    pub fn new(kind: u8, id: u32, body: Body) -> Frame {
        Frame { kind, id, body: body.0, fds: Vec::new(), cut: false }
    }

    /// The same frame with descriptors.
    #[must_use]
    pub fn with_fds(mut self, fds: Vec<OwnedFd>) -> Frame {
        self.fds = fds;
        self
    }
}

/// Writes the fields of a frame.
#[derive(Debug, Default)]
pub struct Body(Vec<u8>);

impl Body {
    /// An empty body.
    pub fn new() -> Body {
        Body::default()
    }
    /// Appends one byte.
    #[must_use]
    pub fn u8(mut self, value: u8) -> Body {
        self.0.push(value);
        self
    }
    /// Appends an unsigned 32-bit number.
    #[must_use]
    pub fn u32(mut self, value: u32) -> Body {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }
    /// Appends a signed 32-bit number.
    #[must_use]
    pub fn i32(mut self, value: i32) -> Body {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }
    /// Appends an unsigned 64-bit number.
    #[must_use]
    pub fn u64(mut self, value: u64) -> Body {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }
    /// Appends bytes with their length before them.
    #[must_use]
    pub fn bytes(mut self, value: &[u8]) -> Body {
        self.0.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.0.extend_from_slice(value);
        self
    }
}

/// Reads the fields of a frame; a missing field is `EBADMSG`.
#[derive(Debug)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Starts at the first field.
    pub fn new(body: &'a [u8]) -> Fields<'a> {
        Fields(body)
    }
    fn take(&mut self, n: usize) -> Result<&'a [u8], Errno> {
        let (head, rest) = self.0.split_at_checked(n).ok_or(Errno::BADMSG)?;
        self.0 = rest;
        Ok(head)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        self.take(N)?.try_into().map_err(|_| Errno::BADMSG)
    }
    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, Errno> {
        Ok(self.array::<1>()?[0])
    }
    /// The next unsigned 32-bit number.
    pub fn u32(&mut self) -> Result<u32, Errno> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    /// The next signed 32-bit number.
    pub fn i32(&mut self) -> Result<i32, Errno> {
        Ok(i32::from_le_bytes(self.array()?))
    }
    /// The next unsigned 64-bit number.
    pub fn u64(&mut self) -> Result<u64, Errno> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// The next bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], Errno> {
        let n = self.u32()? as usize;
        self.take(n)
    }
}

const HEAD: usize = 4 + 1 + 1 + 4;

/// A stream of frames in both directions. No method blocks.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
    /// The descriptors of each frame that has some, as many as the limit of open files allowed.
    received_fds: VecDeque<Vec<OwnedFd>>,
    /// Frames that are not written yet, each with the descriptors that are sent with its first byte.
    unsent: VecDeque<(Vec<u8>, Vec<OwnedFd>)>,
}

impl Channel {
    /// Uses `socket`, which becomes non-blocking.
    pub fn new(socket: OwnedFd) -> io::Result<Channel> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Channel { socket, received: Vec::new(), received_fds: VecDeque::new(), unsent: VecDeque::new() })
    }

    /// Whether a frame waits to be written.
    pub fn wants_write(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Queues a frame; [`Channel::flush`] writes it.
    pub fn queue(&mut self, frame: Frame) {
        let mut bytes = Vec::with_capacity(HEAD + frame.body.len());
        let len = u32::try_from(HEAD - 4 + frame.body.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&len.to_le_bytes());
        bytes.push(frame.kind);
        bytes.push(u8::try_from(frame.fds.len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(&frame.id.to_le_bytes());
        bytes.extend_from_slice(&frame.body);
        self.unsent.push_back((bytes, frame.fds));
    }

    /// Writes as much as the socket takes now.
    pub fn flush(&mut self) -> io::Result<()> {
        while let Some((bytes, fds)) = self.unsent.front_mut() {
            let borrowed: Vec<BorrowedFd<'_>> = fds.iter().map(AsFd::as_fd).collect();
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if !borrowed.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)) {
                return Err(Errno::TOOBIG.into());
            }
            let sent = rustix::net::sendmsg(
                &self.socket,
                &[IoSlice::new(bytes)],
                &mut ancillary,
                SendFlags::NOSIGNAL,
            );
            match sent {
                Ok(n) => {
                    drop(borrowed);
                    fds.clear();
                    bytes.drain(..n);
                    if bytes.is_empty() {
                        self.unsent.pop_front();
                    }
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    /// Reads what has arrived. `false`: the other side is gone.
    pub fn fill(&mut self) -> io::Result<bool> {
        loop {
            let mut buffer = [0u8; 16 * 1024];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let message = rustix::net::recvmsg(
                &self.socket,
                &mut [IoSliceMut::new(&mut buffer)],
                &mut ancillary,
                RecvFlags::CMSG_CLOEXEC,
            );
            match message {
                Ok(message) => {
                    // The kernel never mixes the descriptors of two messages, and reports if it had to drop some.
                    let mut fds = Vec::new();
                    for control in ancillary.drain() {
                        if let RecvAncillaryMessage::ScmRights(received) = control {
                            fds.extend(received);
                        }
                    }
                    if !fds.is_empty() || message.flags.contains(ReturnFlags::CTRUNC) {
                        self.received_fds.push_back(fds);
                    }
                    if message.bytes == 0 {
                        return Ok(false);
                    }
                    self.received.extend_from_slice(&buffer[..message.bytes]);
                }
                Err(Errno::AGAIN) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => return Ok(false),
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// The next whole frame, if it has arrived.
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        let Some(head) = self.received.first_chunk::<HEAD>() else { return Ok(None) };
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (kind, count) = (head[4], usize::from(head[5]));
        let id = u32::from_le_bytes([head[6], head[7], head[8], head[9]]);
        if !(HEAD - 4..=MAX_FRAME).contains(&len) {
            return Err(Errno::BADMSG.into());
        }
        if self.received.len() < 4 + len {
            return Ok(None);
        }
        let fds = match count {
            0 => Vec::new(),
            _ => self.received_fds.pop_front().filter(|fds| fds.len() <= count).ok_or(Errno::BADMSG)?,
        };
        let body = self.received[HEAD..4 + len].to_vec();
        self.received.drain(..4 + len);
        let cut = fds.len() < count;
        Ok(Some(Frame { kind, id, body, fds, cut }))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl std::os::fd::AsRawFd for Channel {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.socket.as_fd().as_raw_fd()
    }
}
