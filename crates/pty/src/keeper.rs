//! The keeper: tiny, single-threaded, frozen.
//!
//! It starts the daemon, and starts it again when it dies. For each session it forks a subreaper, which starts `cotty
//! __child`. Per key it holds a few descriptors, an opaque blob and an exit status. It interprets none of them, so it never
//! needs an upgrade: only the daemon knows what a session is.
//!
//! Signals: TERM, INT and HUP end the daemon, which ends its sessions, and then the keeper. USR1 replaces the daemon.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1};

use crate::facts::{children_of_all_threads, started_with};
use crate::program::{Program, is_executable};
use crate::refusal;
use crate::subreaper::{self, Reports};
use crate::wire::{self, Body, Channel, Fields, Frame};
use crate::words::Words;

/// How long the daemon may take to end its sessions before it is killed.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(15);
/// The longest pause before a daemon that fails to start is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// After so many failures in a row, clients that wait are told the reason.
const FAILED_OFTEN: u32 = 3;

/// The settings of the keeper.
#[derive(Debug)]
pub struct Keeper {
    /// The path of this program, which the keeper starts as the daemon and for each session. It holds the program itself.
    pub exe: PathBuf,
    /// The arguments that make it the daemon.
    pub daemon_args: Vec<OsString>,
    /// The keeper writes `+` here when the daemon is ready for the first time. If that never happens, it writes why.
    pub ready: Option<OwnedFd>,
    /// Whether a person sees stderr. Otherwise it is the log, and the keeper keeps the last words of a daemon.
    pub foreground: bool,
    /// The locks that make this keeper the only one of its home. They are held until the keeper ends.
    pub locks: Vec<OwnedFd>,
}

impl Keeper {
    /// Runs until it is told to stop. `Ok(false)`: the daemon ended before it was ever ready.
    pub fn run(self) -> io::Result<bool> {
        // If a subreaper is killed, the processes of its session become our children, so that none escapes.
        rustix::process::set_child_subreaper(Pid::from_raw(1))?;
        forbid_inspection()?;
        let mut signals = Signals::new()?;
        let mut epoch = [0u8; 8];
        getrandom::fill(&mut epoch).map_err(io::Error::other)?;
        let mut state = State {
            epoch: u64::from_le_bytes(epoch),
            program: Program::own(self.exe)?,
            daemon_args: self.daemon_args,
            ready: self.ready,
            entries: BTreeMap::new(),
            reports: Reports::new()?,
            subreapers: HashSet::new(),
            orphans: HashSet::new(),
            has_strangers: rustix::process::getpid().is_init()
                || !children_of_all_threads(rustix::process::getpid()).is_empty(),
            words: if self.foreground { None } else { Some(Words::new()?) },
            daemon: None,
            was_ready: false,
            failed_starts: 0,
            replacing: false,
            start_at: Some(Instant::now()),
            stopping: false,
            kill_daemon_at: None,
        };
        while state.turn(&mut signals)? {}
        state.kill_what_is_left();
        drop(self.locks);
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
    program: Program,
    daemon_args: Vec<OsString>,
    ready: Option<OwnedFd>,
    entries: BTreeMap<Vec<u8>, Entry>,
    reports: Reports,
    subreapers: HashSet<Pid>,
    /// Processes of sessions whose subreaper was killed, which are killed, too.
    orphans: HashSet<Pid>,
    /// Whether the keeper may have children that no session started: it is the first process of a container, or its process had
    /// children before it became the keeper.
    has_strangers: bool,
    words: Option<Words>,
    daemon: Option<Daemon>,
    was_ready: bool,
    failed_starts: u32,
    /// Whether the daemon was killed to be replaced.
    replacing: bool,
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
        self.take_reports();
        if let Some(words) = &mut self.words {
            words.take();
        }
        for listener in self.unserved() {
            let reason = self.entries.get(wire::LAST_WORDS).map_or(&b""[..], |entry| &entry.blob);
            refusal::refuse_all(listener, reason);
        }
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
                SIGUSR1 => self.replace_daemon(now),
                _ => self.begin_shutdown(now),
            }
        }
        Ok(goes_on)
    }

    fn poll(&self, signals: &Signals, now: Instant) -> io::Result<()> {
        let next = [self.start_at, self.kill_daemon_at].into_iter().flatten().min();
        let timeout = next.map(|at| at.saturating_duration_since(now) + Duration::from_millis(1));
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        let mut fds =
            vec![PollFd::new(&signals.pipe, PollFlags::IN), PollFd::new(&self.reports, PollFlags::IN)];
        fds.extend(self.words.iter().map(|words| PollFd::new(words, PollFlags::IN)));
        fds.extend(self.unserved().map(|listener| PollFd::new(listener, PollFlags::IN)));
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

    /// The listeners that no daemon serves, because it failed to start several times and is not started again yet.
    fn unserved(&self) -> impl Iterator<Item = &OwnedFd> {
        let waits = self.daemon.is_none() && self.failed_starts >= FAILED_OFTEN;
        let held = self.entries.values().flat_map(|entry| entry.slots.values());
        held.filter(move |_| waits).filter(|fd| refusal::is_listener(fd))
    }

    /// `false`: the keeper is stopping and the daemon cannot be started, so there is no daemon to wait for.
    fn start_daemon(&mut self, now: Instant) -> io::Result<bool> {
        match self.spawn_daemon() {
            Ok(daemon) => {
                self.daemon = Some(daemon);
                if self.stopping {
                    self.ask_to_end();
                }
                Ok(true)
            }
            Err(_) if self.stopping => Ok(false),
            Err(error) if self.was_ready => {
                self.start_again(&format!("it cannot be started: {error}"), now);
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    fn spawn_daemon(&mut self) -> io::Result<Daemon> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let channel = Channel::new(ours)?;
        let mut command = self.program.command();
        command.args(&self.daemon_args).stdin(Stdio::from(theirs));
        if let Some(words) = &mut self.words {
            command.stderr(words.stderr()?);
        }
        Ok(Daemon { pid: Pid::from_child(&command.spawn()?), channel, ready: false })
    }

    /// Starts another daemon at once, also if the running one is not ready yet.
    fn replace_daemon(&mut self, now: Instant) {
        self.replacing = self.daemon.is_some();
        self.kill_daemon();
        if self.start_at.is_some() {
            self.start_at = Some(now);
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
                if !self.daemon_ended(&how(status), now) {
                    return false;
                }
                continue;
            }
            let was_killed = self.subreapers.remove(&pid) && status.signaled();
            let was_orphan = self.orphans.remove(&pid);
            let was_program = self.exited(pid, status.as_raw());
            // The children of an orphan become ours when it is dead.
            if was_killed || was_orphan || was_program {
                self.kill_orphans();
            }
        }
        true
    }

    /// Kills the processes whose subreaper was killed: they are our children now.
    fn kill_orphans(&mut self) {
        let daemon = self.daemon.as_ref().map(|daemon| daemon.pid);
        for child in children_of_all_threads(rustix::process::getpid()) {
            let ours = Some(child) == daemon || self.subreapers.contains(&child);
            // In a container the keeper may be the parent of everybody's orphans.
            if !ours && (!self.has_strangers || names_a_session(child)) {
                self.orphans.insert(child);
                let _ = rustix::process::kill_process(child, Signal::KILL);
            }
        }
    }

    /// Notes the programs whose end the subreapers reported.
    fn take_reports(&mut self) {
        for (pid, status) in self.reports.take() {
            self.exited(pid, status);
        }
    }

    /// Notes that a process ended. If it is the program of an entry, tells the daemon.
    fn exited(&mut self, pid: Pid, status: i32) -> bool {
        let led = self.entries.iter_mut().find(|(_, e)| e.pid == Some(pid) && e.status.is_none());
        let Some((key, entry)) = led else { return false };
        entry.status = Some(status);
        if let Some(daemon) = &mut self.daemon {
            daemon.channel.queue(Frame::new(wire::EXITED, 0, Body::new().bytes(key).i32(status)));
            let _ = daemon.channel.flush();
        }
        true
    }

    fn daemon_ended(&mut self, how: &str, now: Instant) -> bool {
        let ended = self.daemon.take();
        self.kill_daemon_at = None;
        if !self.was_ready
            && let Some(ready) = self.ready.take()
        {
            let words = self.last_words(how);
            let _ = rustix::io::write(&ready, &[b"-".as_slice(), &words].concat());
        }
        if self.stopping || !self.was_ready {
            return false;
        }
        match ended {
            // A daemon that was ready is replaced at once.
            Some(daemon) if daemon.ready || self.replacing => {
                self.replacing = false;
                self.failed_starts = 0;
                self.start_at = Some(now);
            }
            _ => self.start_again(how, now),
        }
        true
    }

    /// Starts a daemon after one that failed to start: with growing pauses, and with another program if there is one.
    fn start_again(&mut self, how: &str, now: Instant) {
        let words = self.last_words(how);
        self.entries.entry(wire::LAST_WORDS.to_vec()).or_default().blob = words;
        self.failed_starts += 1;
        self.program.failed(self.failed_starts);
        let pause = match self.failed_starts {
            n if n < FAILED_OFTEN => Duration::ZERO,
            n => Duration::from_millis(50 << (n - FAILED_OFTEN).min(7)).min(LONGEST_PAUSE),
        };
        self.start_at = Some(now + pause);
    }

    fn last_words(&mut self, how: &str) -> Vec<u8> {
        self.words.as_mut().map_or_else(|| how.as_bytes().to_vec(), |words| words.of_ended(how))
    }

    fn kill_what_is_left(&mut self) {
        self.kill_daemon();
        self.take_reports();
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
                self.program.is_ready();
                if let Some(ready) = self.ready.take() {
                    let _ = rustix::io::write(&ready, b"+");
                }
                done(Body::new())
            }
            wire::STOP => {
                self.stopping = true;
                done(Body::new())
            }
            wire::PROGRAM => {
                let [program] = <[OwnedFd; 1]>::try_from(frame.fds).map_err(|_| Errno::BADMSG)?;
                if !is_executable(&program) {
                    return Err(Errno::NOEXEC);
                }
                self.program.replace(program);
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
        let [stdin_fd, stdout_fd, stderr_fd] = [&stdin, &stdout, &stderr].map(AsRawFd::as_raw_fd);
        let needed = [stdin_fd, stdout_fd, stderr_fd, self.program.descriptor()];
        let mut child = self.program.command();
        child.arg("__child").stdin(stdin).stdout(stdout).stderr(stderr);
        // The new program may get the process id of one whose end is reported but not noted.
        self.take_reports();
        let (subreaper, pid) = subreaper::start(key, child, &needed, &self.reports)?;
        self.subreapers.insert(subreaper);
        let entry = self.entries.entry(key.to_vec()).or_default();
        entry.pid = Some(pid);
        entry.blob = blob.to_vec();
        entry.slots.extend(slots.iter().copied().zip(fds));
        Ok(pid.as_raw_nonzero().get().unsigned_abs())
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

/// Keeps other processes of the same user from reading this one's memory, descriptors and environment. Forks inherit it; exec
/// resets it.
pub fn forbid_inspection() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Whether the environment of a process names a session.
fn names_a_session(pid: Pid) -> bool {
    let environ = started_with(pid, "environ").unwrap_or_default();
    environ.split('\0').any(|variable| variable.starts_with("COTTY_SESSION="))
}

/// How a process ended.
fn how(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("it ended with exit code {code} and said nothing"),
        (_, Some(signal)) => format!("it was killed by signal {signal}"),
        _ => "it ended".to_owned(),
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
