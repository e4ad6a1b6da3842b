//! What the kernel knows about a terminal and its programs. Nothing here is guessed from the screen.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process_group};
use rustix::pty::OpenptFlags;
use rustix::termios::LocalModes;

use crate::Pty;
use crate::proc::{Stat, read_into, read_text};

/// How the line discipline treats input now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMode {
    /// The kernel echoes typed characters.
    pub echo: bool,
    /// The program gets input line by line.
    pub canonical: bool,
}

impl LineMode {
    /// Input line by line without echo: a program asks for a secret.
    pub fn asks_for_secret(self) -> bool {
        self.canonical && !self.echo
    }
}

/// The line discipline's modes, read through the master.
pub fn line_mode(pty: &Pty) -> Option<LineMode> {
    let termios = rustix::termios::tcgetattr(pty.as_fd()).ok()?;
    Some(LineMode {
        echo: termios.local_modes.contains(LocalModes::ECHO),
        canonical: termios.local_modes.contains(LocalModes::ICANON),
    })
}

/// The process group that may read the terminal now.
pub fn foreground(pty: &Pty) -> Option<Pid> {
    rustix::termios::tcgetpgrp(pty.as_fd()).ok()
}

/// The short name of a process.
pub fn process_name(pid: Pid) -> Option<String> {
    let comm = read_text(&format!("/proc/{}/comm", pid.as_raw_nonzero()))?;
    Some(comm.trim_end().to_owned())
}

/// Whether a signal stopped a process group.
pub fn is_stopped(group: Pid) -> bool {
    let number = group.as_raw_nonzero().get();
    let led = Stat::read(number).filter(Stat::lives);
    // If the leader is gone, the newest process of the group decides.
    let stat = led.or_else(|| Stat::read(members(number).first()?.as_raw_nonzero().get()));
    stat.is_some_and(|stat| stat.state == 'T')
}

/// What a process was started with: its `environ` or its `cmdline`, with NUL bytes between the parts.
pub fn started_with(pid: Pid, what: &str) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{}/{what}", pid.as_raw_nonzero())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The process of a group that most likely reads the terminal: one that is in a read of the terminal (`less`, not the program
/// that feeds it; a script, not its background job); otherwise, in raw mode, one that waits for events; otherwise the newest
/// that the leader started; and what it waits for. `None` if the group is gone or hidden from us.
fn reader(pty: &Pty, group: Pid) -> Option<(Pid, Option<Waiting>)> {
    let (leader, group) = (group, group.as_raw_nonzero().get());
    let led = Stat::read(group).filter(Stat::lives);
    let likely = match &led {
        Some(led) => {
            let mut likely = newest_first(leader, group);
            // Skip a parent outside the session: it is the subreaper, or the keeper of an earlier version, which is the parent of the
            // programs of all sessions.
            let inside = led.session != group
                && Stat::read(led.parent).is_some_and(|parent| parent.session == led.session);
            let beside = Pid::from_raw(led.parent).filter(|_| inside).map(children).unwrap_or_default();
            let others = beside.into_iter().rev().filter(|&pid| pid != leader && lives_in(pid, group));
            likely.extend(others.flat_map(|pid| newest_first(pid, group)));
            likely
        }
        None => members(group),
    };
    let takes_keys = || line_mode(pty).is_some_and(|mode| !mode.canonical);
    let state = |pid: Pid| match &led {
        Some(led) if pid == leader => Some(led.state),
        _ => Stat::read(pid.as_raw_nonzero().get()).map(|stat| stat.state),
    };
    let waits: Vec<_> = likely.iter().map(|&pid| waiting_of(pid, state(pid))).collect();
    let one = |what| waits.iter().position(|waits| *waits == Some(what));
    let reads = one(Waiting::Reads).or_else(|| one(Waiting::Events).filter(|_| takes_keys()));
    let at = reads.unwrap_or(0);
    Some((*likely.get(at)?, waits[at]))
}

/// A chain of processes, each started by the previous one, in reverse order. Bounded, in case `/proc` shows a cycle.
fn newest_first(first: Pid, group: i32) -> Vec<Pid> {
    let newest_of = |pid: &Pid| children(*pid).into_iter().rev().find(|&child| lives_in(child, group));
    let mut chain: Vec<Pid> = std::iter::successors(Some(first), newest_of).take(32).collect();
    chain.reverse();
    chain
}

/// How many bytes of input the program has not read yet; in canonical mode only complete lines count.
pub fn unread_input(pty: &Pty) -> Option<u64> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let slave = rustix::pty::ioctl_tiocgptpeer(pty.as_fd(), flags).ok()?;
    is_readable(slave.as_fd());
    rustix::io::ioctl_fionread(&slave).ok()
}

/// Whether the program has written output that has not been read.
pub fn unread_output(pty: &Pty) -> bool {
    is_readable(pty.as_fd())
}

/// Whether one end of a terminal has data to read. The kernel moves data between the ends with a delay; `poll` makes it
/// finish that first.
fn is_readable(end: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::from_borrowed_fd(end, PollFlags::IN)];
    poll(&mut asked, Some(&Timespec::default())).is_ok() && asked[0].revents().contains(PollFlags::IN)
}

/// What a program waits for, as far as the kernel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It runs, or waits for something else.
    No,
    /// It waits in a read of the terminal.
    Reads,
    /// It waits for one of several events, as an editor or a server does.
    Events,
}

/// The program in the foreground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The process that most likely reads the terminal: not the leader of the process group (`git`) but the newest program that
    /// it started (`less`). `None` if it has ended or is hidden from this user.
    pub reader: Option<Pid>,
    /// What it waits for. `None` if the kernel does not show it to this user.
    pub waiting: Option<Waiting>,
}

/// Which process reads the terminal, and what it waits for.
pub fn reading(pty: &Pty) -> Reading {
    let ended = Reading { reader: None, waiting: Some(Waiting::No) };
    // Without a foreground group, the program that had the terminal has ended.
    let Some(group) = foreground(pty) else { return ended };
    let found = match reader(pty, group) {
        None if has_ended(group) => return ended,
        // The process appeared between the two checks, or it is hidden from us.
        None => reader(pty, group),
        found => found,
    };
    let waiting = found.and_then(|(_, waiting)| waiting);
    // Otherwise another program is in the foreground by now.
    let waiting = if foreground(pty) == Some(group) { waiting } else { Some(Waiting::No) };
    Reading { reader: found.map(|(reader, _)| reader), waiting }
}

/// What a process waits for: what its first thread waits for, unless another thread reads the terminal and none works.
fn waiting_of(pid: Pid, state: Option<char>) -> Option<Waiting> {
    let first = thread_waits(pid.as_raw_nonzero().get(), state);
    if first == Some(Waiting::Reads) {
        return first;
    }
    let mut others = threads(pid);
    others.truncate(MOST_THREADS);
    let state_of = |thread| Stat::read(thread).map(|stat| stat.state);
    let reads = others.iter().any(|&thread| thread_waits(thread, state_of(thread)) == Some(Waiting::Reads));
    let works = || others.iter().any(|&thread| Stat::read(thread).is_some_and(|stat| stat.works()));
    if reads && !works() { Some(Waiting::Reads) } else { first }
}

/// The threads of a process, with the first one; empty if it has only one.
fn threads(pid: Pid) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).into_iter().flatten();
    let found: Vec<i32> =
        tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok()).collect();
    if found.len() > 1 { found } else { Vec::new() }
}

fn thread_waits(pid: i32, state: Option<char>) -> Option<Waiting> {
    if state != Some('S') {
        return Some(Waiting::No);
    }
    let look = || read_text(&format!("/proc/{pid}/syscall"));
    if let Some(call) = look() {
        let mut words = call.split_ascii_whitespace();
        // Otherwise the file says "running": the program continued after the check above.
        let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else {
            return Some(Waiting::No);
        };
        let first = words.next().unwrap_or_default();
        return Some(match number {
            // Read the call again: if it changed, the descriptor number may belong to another file.
            READ_CALL if is_terminal(pid, first) && look().is_some_and(|again| again == call) => {
                Waiting::Reads
            }
            number if WAITING_CALLS.contains(&number) => Waiting::Events,
            _ => Waiting::No,
        });
    }
    // If we may not read the call, use the name of the kernel function in which the process sleeps.
    let place = read_text(&format!("/proc/{pid}/wchan"))?;
    let at = |places: &[&str]| places.iter().any(|known| place.contains(known));
    match place.as_str() {
        "0" | "" => None,
        _ if at(READING_PLACES) => Some(Waiting::Reads),
        _ if at(WAITING_PLACES) => Some(Waiting::Events),
        _ => Some(Waiting::No),
    }
}

/// Whether a descriptor of a process, a hexadecimal number, is a terminal.
fn is_terminal(pid: i32, number: &str) -> bool {
    let Ok(number) = u32::from_str_radix(number.trim_start_matches("0x"), 16) else { return false };
    // An error means that the file was closed or that the process is gone: if we may read the call, we may read the link.
    let file = std::fs::read_link(format!("/proc/{pid}/fd/{number}"));
    file.is_ok_and(|file| file.starts_with("/dev/pts") || file.as_os_str() == "/dev/tty")
}

/// read, and poll, select, pselect6, ppoll, epoll_wait, epoll_pwait.
#[cfg(target_arch = "x86_64")]
const READ_CALL: i64 = 0;
#[cfg(target_arch = "x86_64")]
const WAITING_CALLS: &[i64] = &[7, 23, 270, 271, 232, 281];
/// read, and pselect6, ppoll, epoll_pwait.
#[cfg(not(target_arch = "x86_64"))]
const READ_CALL: i64 = 63;
#[cfg(not(target_arch = "x86_64"))]
const WAITING_CALLS: &[i64] = &[72, 73, 22];

/// The most threads of a process that are checked.
const MOST_THREADS: usize = 64;

const READING_PLACES: &[&str] = &["wait_woken", "n_tty_read"];
const WAITING_PLACES: &[&str] = &["do_select", "do_sys_poll", "poll_schedule", "ep_poll"];

/// The children that the first thread of a process started, in the order of their start.
fn children(pid: Pid) -> Vec<Pid> {
    children_of_thread(pid, pid.as_raw_nonzero().get())
}

/// The children of a process.
pub(crate) fn children_of_all_threads(pid: Pid) -> Vec<Pid> {
    match threads(pid) {
        single if single.is_empty() => children(pid),
        threads => threads.into_iter().flat_map(|thread| children_of_thread(pid, thread)).collect(),
    }
}

fn children_of_thread(pid: Pid, thread: i32) -> Vec<Pid> {
    let path = format!("/proc/{}/task/{thread}/children", pid.as_raw_nonzero());
    // The kernel fills less than a page in one read, even if a process has more children.
    let mut buffer = [0; 4096];
    let text = match read_into(&path, &mut buffer) {
        Some(bytes) if bytes.len() < 4000 => String::from_utf8_lossy(bytes).into_owned(),
        Some(_) => std::fs::read_to_string(path).unwrap_or_default(),
        None => String::new(),
    };
    text.split_ascii_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

/// Whether a group without visible live processes has ended: it has a zombie, or the kernel does not know it.
fn has_ended(group: Pid) -> bool {
    let number = group.as_raw_nonzero().get();
    Stat::pids().filter_map(Stat::read).any(|stat| stat.group == number && !stat.lives())
        || test_kill_process_group(group) == Err(Errno::SRCH)
}

/// Whether a process is in a group and has not ended. A zombie has ended.
fn lives_in(pid: Pid, group: i32) -> bool {
    Stat::read(pid.as_raw_nonzero().get()).is_some_and(|stat| stat.group == group && stat.lives())
}

/// The live processes of a group, the newest first.
fn members(group: i32) -> Vec<Pid> {
    let mut members: Vec<Pid> =
        Stat::pids().filter_map(Pid::from_raw).filter(|&pid| lives_in(pid, group)).collect();
    members.sort_by_key(|pid| std::cmp::Reverse(pid.as_raw_nonzero()));
    members
}

/// The working directory of a process.
pub fn directory(pid: Pid) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero())).ok()
}
