//! The keeper: tiny, single-threaded, frozen.
//!
//! It starts the daemon, and starts it again when it dies. It forks `cotty __child` for each session and reaps it. Per key
//! it holds a few descriptors, an opaque blob and an exit status. It interprets none of them, so it never needs an upgrade:
//! only the daemon knows what a session is.
//!
//! Signals: TERM, INT and HUP end the daemon, which ends its sessions, and then the keeper. USR1 replaces the daemon.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal, WaitOptions};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use crate::wire::{self, Body, Channel, Fields, Frame};

/// How long the daemon may take to end its sessions before it is killed.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(15);
/// The longest pause before a daemon that fails to start is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The settings of the keeper.
#[derive(Debug)]
pub struct Keeper {
    /// The binary, by path: after an upgrade the same path holds the new one.
    pub exe: PathBuf,
    /// The arguments that make it the daemon.
    pub daemon_args: Vec<OsString>,
    /// The keeper writes one byte here when the daemon is ready for the first time; it writes nothing if that never happens.
    pub ready: Option<OwnedFd>,
    /// The lock that makes this keeper the only one of its home. It is held until the keeper ends.
    pub lock: OwnedFd,
}

impl Keeper {
    /// Runs until it is told to stop. `Ok(false)`: the daemon ended before it was ever ready.
    pub fn run(self) -> io::Result<bool> {
        // Orphaned processes of a session become our children, so that we reap them and the daemon can find them.
        rustix::process::set_child_subreaper(Pid::from_raw(1))?;
        let mut signals = Signals::new()?;
        let mut epoch = [0u8; 8];
        getrandom::fill(&mut epoch).map_err(io::Error::other)?;
        let mut state = State {
            epoch: u64::from_le_bytes(epoch),
            exe: self.exe,
            daemon_args: self.daemon_args,
            ready: self.ready,
            entries: BTreeMap::new(),
            daemon: None,
            was_ready: false,
            failed_starts: 0,
            start_at: Some(Instant::now()),
            stopping: false,
            kill_daemon_at: None,
        };
        while state.turn(&mut signals)? {}
        state.kill_what_is_left();
        drop(self.lock);
        Ok(state.was_ready)
    }
}

#[derive(Debug, Default)]
struct Entry {
    pid: Option<Pid>,
    status: Option<i32>,
    blob: Vec<u8>,
    slots: BTreeMap<u8, OwnedFd>,
}

struct Daemon {
    pid: Pid,
    channel: Channel,
    ready: bool,
}

struct State {
    epoch: u64,
    exe: PathBuf,
    daemon_args: Vec<OsString>,
    ready: Option<OwnedFd>,
    entries: BTreeMap<Vec<u8>, Entry>,
    daemon: Option<Daemon>,
    was_ready: bool,
    failed_starts: u32,
    start_at: Option<Instant>,
    stopping: bool,
    kill_daemon_at: Option<Instant>,
}

impl State {
    /// Waits for one event and handles it. `false`: the keeper must end.
    fn turn(&mut self, signals: &mut Signals) -> io::Result<bool> {
        let now = Instant::now();
        if self.start_at.is_some_and(|at| at <= now) {
            self.start_at = None;
            if !self.start_daemon(now)? {
                return Ok(false);
            }
        }
        if self.kill_daemon_at.is_some_and(|at| at <= now) {
            self.kill_daemon_at = None;
            self.kill_daemon();
        }
        self.poll(signals, now)?;
        if let Some(mut daemon) = self.daemon.take() {
            // Ignore a broken channel: the daemon is dying, and SIGCHLD reports its end.
            if daemon.channel.fill().is_ok() {
                while let Ok(Some(frame)) = daemon.channel.next_frame() {
                    daemon.ready |= frame.kind == wire::READY;
                    let reply = self.answer(frame);
                    daemon.channel.queue(reply);
                }
                let _ = daemon.channel.flush();
            }
            self.daemon = Some(daemon);
        }
        let mut goes_on = true;
        for signal in signals.take() {
            match signal {
                // Only on SIGCHLD, because the kernel checks every child to find those that ended.
                SIGCHLD => goes_on &= self.reap(now),
                SIGUSR1 => self.kill_daemon(),
                _ => self.begin_shutdown(now),
            }
        }
        Ok(goes_on)
    }

    fn poll(&self, signals: &Signals, now: Instant) -> io::Result<()> {
        let next = [self.start_at, self.kill_daemon_at].into_iter().flatten().min();
        let timeout = next.map(|at| at.saturating_duration_since(now) + Duration::from_millis(1));
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        let mut fds = vec![PollFd::new(&signals.pipe, PollFlags::IN)];
        if let Some(daemon) = &self.daemon {
            let mut flags = PollFlags::IN;
            flags.set(PollFlags::OUT, daemon.channel.wants_write());
            fds.push(PollFd::new(&daemon.channel, flags));
        }
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// `false`: the keeper is stopping and the daemon cannot be started, so there is no daemon to wait for.
    fn start_daemon(&mut self, now: Instant) -> io::Result<bool> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let child = Command::new(&self.exe).args(&self.daemon_args).stdin(Stdio::from(theirs)).spawn();
        match child {
            Ok(child) => {
                let pid = Pid::from_child(&child);
                self.daemon = Some(Daemon { pid, channel: Channel::new(ours)?, ready: false });
                if self.stopping {
                    self.ask_to_end();
                }
                Ok(true)
            }
            Err(_) if self.stopping => Ok(false),
            // The binary may be missing for a moment while it is being replaced.
            Err(_) if self.was_ready => {
                self.start_at = Some(now + Duration::from_millis(200));
                Ok(true)
            }
            Err(e) => Err(e),
        }
    }

    fn kill_daemon(&mut self) {
        if let Some(daemon) = &self.daemon {
            let _ = rustix::process::kill_process(daemon.pid, Signal::KILL);
        }
    }

    fn begin_shutdown(&mut self, now: Instant) {
        if self.stopping {
            // The second signal: do not wait for the daemon any longer.
            self.kill_daemon();
        }
        self.stopping = true;
        self.kill_daemon_at = Some(now + SHUTDOWN_LIMIT);
        self.ask_to_end();
    }

    fn ask_to_end(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            daemon.channel.queue(Frame::new(wire::SHUTDOWN, 0, Body::new()));
            let _ = daemon.channel.flush();
        }
    }

    /// Reaps all processes that ended. `false`: the daemon ended and must not be started again.
    fn reap(&mut self, now: Instant) -> bool {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if self.daemon.as_ref().is_some_and(|d| d.pid == pid) {
                if !self.daemon_ended(now) {
                    return false;
                }
                continue;
            }
            let status = status.as_raw();
            let Some((key, entry)) =
                self.entries.iter_mut().find(|(_, e)| e.pid == Some(pid) && e.status.is_none())
            else {
                continue;
            };
            entry.status = Some(status);
            if let Some(daemon) = &mut self.daemon {
                daemon.channel.queue(Frame::new(wire::EXITED, 0, Body::new().bytes(key).i32(status)));
                let _ = daemon.channel.flush();
            }
        }
        true
    }

    fn daemon_ended(&mut self, now: Instant) -> bool {
        let was_up = self.daemon.take().is_some_and(|daemon| daemon.ready);
        self.kill_daemon_at = None;
        if self.stopping || !self.was_ready {
            return false;
        }
        // A daemon that was ready is replaced at once. One that fails to start is started again with growing pauses.
        self.failed_starts = if was_up { 0 } else { self.failed_starts + 1 };
        let pause = match self.failed_starts {
            0..=2 => Duration::ZERO,
            n => Duration::from_millis(50 << (n - 3).min(7)).min(LONGEST_PAUSE),
        };
        self.start_at = Some(now + pause);
        true
    }

    fn kill_what_is_left(&mut self) {
        self.kill_daemon();
        for entry in self.entries.values() {
            if let (Some(pid), None) = (entry.pid, entry.status) {
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
    }

    fn answer(&mut self, frame: Frame) -> Frame {
        let (kind, id) = (frame.kind, frame.id);
        match self.perform(frame) {
            Ok((body, fds)) => Frame::new(kind, id, body).with_fds(fds),
            Err(errno) => Frame::new(wire::ERROR, id, Body::new().i32(errno.raw_os_error())),
        }
    }

    fn perform(&mut self, frame: Frame) -> Result<(Body, Vec<OwnedFd>), Errno> {
        let mut fields = Fields::new(&frame.body);
        let done = |body| Ok((body, Vec::new()));
        if frame.cut {
            return Err(Errno::MFILE);
        }
        match frame.kind {
            wire::HELLO => {
                let me = rustix::process::getpid().as_raw_nonzero().get().unsigned_abs();
                done(Body::new().u32(wire::VERSION).u64(self.epoch).u32(me))
            }
            wire::SPAWN => {
                let (key, blob, slots) = (fields.bytes()?, fields.bytes()?, fields.bytes()?);
                let pid = self.spawn(key, blob, slots, frame.fds)?;
                done(Body::new().u32(pid))
            }
            wire::LIST => done(self.list()),
            wire::TAKE => {
                let entry = self.entries.get(fields.bytes()?).ok_or(Errno::NOENT)?;
                let slots: Vec<u8> = entry.slots.keys().copied().collect();
                let fds = entry.slots.values().map(duplicate).collect::<Result<_, _>>()?;
                Ok((Body::new().bytes(&slots), fds))
            }
            wire::PUT => {
                let (key, slot) = (fields.bytes()?, fields.u8()?);
                let [fd] = <[OwnedFd; 1]>::try_from(frame.fds).map_err(|_| Errno::BADMSG)?;
                let entry = self.entries.entry(key.to_vec()).or_default();
                if entry.slots.len() >= wire::MAX_FDS && !entry.slots.contains_key(&slot) {
                    return Err(Errno::NOSPC);
                }
                entry.slots.insert(slot, fd);
                done(Body::new())
            }
            wire::BLOB => {
                let (key, blob) = (fields.bytes()?, fields.bytes()?);
                self.entries.entry(key.to_vec()).or_default().blob = blob.to_vec();
                done(Body::new())
            }
            wire::FORGET => {
                self.entries.remove(fields.bytes()?).ok_or(Errno::NOENT)?;
                done(Body::new())
            }
            wire::READY => {
                self.was_ready = true;
                if let Some(ready) = self.ready.take() {
                    let _ = rustix::io::write(&ready, b"+");
                }
                done(Body::new())
            }
            wire::STOP => {
                self.stopping = true;
                done(Body::new())
            }
            _ => Err(Errno::NOSYS),
        }
    }

    fn spawn(&mut self, key: &[u8], blob: &[u8], slots: &[u8], fds: Vec<OwnedFd>) -> Result<u32, Errno> {
        if self.entries.get(key).is_some_and(|e| e.pid.is_some()) {
            return Err(Errno::EXIST);
        }
        if self.stopping {
            return Err(Errno::CANCELED);
        }
        if fds.len() != slots.len() + 2 {
            return Err(Errno::BADMSG);
        }
        let mut fds = fds.into_iter();
        let (Some(stdin), Some(stdout)) = (fds.next(), fds.next()) else { return Err(Errno::BADMSG) };
        let stderr = duplicate(&stdout)?;
        let child = Command::new(&self.exe).arg("__child").stdin(stdin).stdout(stdout).stderr(stderr).spawn();
        let child = child.map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::IO))?;
        let entry = self.entries.entry(key.to_vec()).or_default();
        entry.pid = Some(Pid::from_child(&child));
        entry.blob = blob.to_vec();
        entry.slots.extend(slots.iter().copied().zip(fds));
        Ok(child.id())
    }

    fn list(&self) -> Body {
        let count = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.iter().fold(Body::new().u32(count), |body, (key, entry)| {
            let pid = entry.pid.map_or(0, |p| p.as_raw_nonzero().get().unsigned_abs());
            let slots: Vec<u8> = entry.slots.keys().copied().collect();
            body.bytes(key)
                .u32(pid)
                .u8(u8::from(entry.status.is_some()))
                .i32(entry.status.unwrap_or(0))
                .bytes(&slots)
                .bytes(&entry.blob)
        })
    }
}

fn duplicate(fd: &OwnedFd) -> Result<OwnedFd, Errno> {
    rustix::io::fcntl_dupfd_cloexec(fd, 3)
}

/// The signals that the keeper handles: a flag for each, and a pipe that wakes the poll.
struct Signals {
    pipe: UnixStream,
    flags: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        let (pipe, write) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let mut flags = Vec::new();
        for signal in [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1] {
            let flag = Arc::new(AtomicBool::new(false));
            // Register the flag first: it must be set when the pipe wakes the poll.
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
            flags.push((signal, flag));
        }
        Ok(Signals { pipe, flags })
    }

    fn take(&mut self) -> Vec<i32> {
        let mut buffer = [0u8; 64];
        while matches!(io::Read::read(&mut self.pipe, &mut buffer), Ok(n) if n > 0) {}
        let raised = self.flags.iter().filter(|(_, flag)| flag.swap(false, Ordering::SeqCst));
        raised.map(|&(signal, _)| signal).collect()
    }
}
