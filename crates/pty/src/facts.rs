//! What the kernel knows of a terminal: hints for people and agents, never guesses from the screen.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process_group};
use rustix::pty::OpenptFlags;
use rustix::termios::LocalModes;

use crate::Pty;
use crate::proc::Stat;

/// How the line discipline treats input now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMode {
    /// Typed characters are shown by the kernel.
    pub echo: bool,
    /// Input is handed over line by line.
    pub canonical: bool,
}

impl LineMode {
    /// Line by line and not shown: a program asks for a secret.
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
    let comm = std::fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())).ok()?;
    Some(comm.trim_end().to_owned())
}

/// Whether a signal stopped a process group.
pub fn is_stopped(group: Pid) -> bool {
    let number = group.as_raw_nonzero().get();
    let led = Stat::read(number).filter(Stat::lives);
    // Of a group whose leader has gone, the newest tells.
    let stat = led.or_else(|| Stat::read(members(number).first()?.as_raw_nonzero().get()));
    stat.is_some_and(|stat| stat.state == 'T')
}

/// What a process was started with: its `environ` or its `cmdline`, with NUL bytes between the parts.
pub fn started_with(pid: Pid, what: &str) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{}/{what}", pid.as_raw_nonzero())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name of the program in the foreground that most likely reads the terminal: not the one that leads the others (`git`)
/// but the newest that it started (`less`).
pub fn reader_name(pty: &Pty) -> Option<String> {
    process_name(reader(pty, foreground(pty)?)?)
}

/// The process of a group that most likely reads the terminal: the one that is seen reading it, if any (`less`, not what
/// feeds it; a script, not the job that it has beside it), or waiting for keys where they are taken one by one; else the
/// newest that the leader started. None where the group has gone, or is hidden from us.
fn reader(pty: &Pty, group: Pid) -> Option<Pid> {
    let (leader, group) = (group, group.as_raw_nonzero().get());
    let likely = match Stat::read(group).filter(Stat::lives) {
        Some(led) => {
            let mut likely = newest_first(leader, group);
            // Whoever has the terminal's first program, too, has those of all other terminals: none of them is of this group.
            let inside = Stat::read(led.parent).is_some_and(|parent| parent.session == led.session);
            let beside = Pid::from_raw(led.parent).filter(|_| inside).map(children).unwrap_or_default();
            let others = beside.into_iter().rev().filter(|&pid| pid != leader && lives_in(pid, group));
            likely.extend(others.flat_map(|pid| newest_first(pid, group)));
            likely
        }
        None => members(group),
    };
    let takes_keys = || line_mode(pty).is_some_and(|mode| !mode.canonical);
    let waits: Vec<_> = likely.iter().map(|&pid| waiting_of(pid)).collect();
    let one = |what| waits.iter().position(|waits| *waits == Some(what));
    let reads = one(Waiting::Reads).or_else(|| one(Waiting::Events).filter(|_| takes_keys()));
    likely.get(reads.unwrap_or(0)).copied()
}

/// A chain of programs that each started the next, the last one first; bounded, in case the kernel shows us a circle.
fn newest_first(first: Pid, group: i32) -> Vec<Pid> {
    let newest_of = |pid: &Pid| children(*pid).into_iter().rev().find(|&child| lives_in(child, group));
    let mut chain: Vec<Pid> = std::iter::successors(Some(first), newest_of).take(32).collect();
    chain.reverse();
    chain
}

/// Bytes that were typed and that the program has not read yet; in line mode only whole lines count.
pub fn unread_input(pty: &Pty) -> Option<u64> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let slave = rustix::pty::ioctl_tiocgptpeer(pty.as_fd(), flags).ok()?;
    is_readable(slave.as_fd());
    rustix::io::ioctl_fionread(&slave).ok()
}

/// Whether the program has said something that has not been read.
pub fn unread_output(pty: &Pty) -> bool {
    is_readable(pty.as_fd())
}

/// The kernel hands over what was written to a terminal's other end a moment later; this question makes it do so first.
fn is_readable(end: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::from_borrowed_fd(end, PollFlags::IN)];
    poll(&mut asked, Some(&Timespec::default())).is_ok() && asked[0].revents().contains(PollFlags::IN)
}

/// What a program waits for, as far as the kernel tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It is at work, or waits for something else.
    No,
    /// It reads the terminal.
    Reads,
    /// Any of several things, as an editor or a server does.
    Events,
}

/// What the program in the foreground waits for. A hint: the kernel does not tell every user.
pub fn waiting(pty: &Pty) -> Option<Waiting> {
    // Nobody may read: the program that had the terminal has ended.
    let Some(group) = foreground(pty) else { return Some(Waiting::No) };
    let waits = match reader(pty, group) {
        Some(reader) => waiting_of(reader),
        None if has_ended(group) => Some(Waiting::No),
        // It came between the two looks, or we may not see it.
        None => waiting_of(reader(pty, group)?),
    };
    // Else another program has its turn.
    if foreground(pty) == Some(group) { waits } else { Some(Waiting::No) }
}

/// What a process waits for: what its first thread does, unless that sleeps while another reads.
fn waiting_of(pid: Pid) -> Option<Waiting> {
    let first = thread_waits(pid.as_raw_nonzero().get());
    if first == Some(Waiting::Reads) {
        return first;
    }
    let others = threads(pid);
    let any = |what: fn(i32) -> bool| others.iter().any(|&thread| what(thread));
    let reads = any(|thread| thread_waits(thread) == Some(Waiting::Reads));
    let works = || any(|thread| Stat::read(thread).is_some_and(|stat| stat.works()));
    if reads && !works() { Some(Waiting::Reads) } else { first }
}

/// The threads of a process, its first among them, if there are several.
fn threads(pid: Pid) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).into_iter().flatten();
    let found = tasks.flatten().take(MOST_THREADS);
    let found: Vec<i32> = found.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect();
    if found.len() > 1 { found } else { Vec::new() }
}

fn thread_waits(pid: i32) -> Option<Waiting> {
    if Stat::read(pid).is_none_or(|stat| stat.state != 'S') {
        return Some(Waiting::No);
    }
    let look = || std::fs::read_to_string(format!("/proc/{pid}/syscall"));
    if let Ok(call) = look() {
        let mut words = call.split_ascii_whitespace();
        // Else it says "running": the program went on after the look above.
        let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else {
            return Some(Waiting::No);
        };
        let first = words.next().unwrap_or_default();
        return Some(match number {
            // Else it went on meanwhile, and the file of that number is another one.
            READ_CALL if is_terminal(pid, first) && look().is_ok_and(|again| again == call) => Waiting::Reads,
            number if WAITING_CALLS.contains(&number) => Waiting::Events,
            _ => Waiting::No,
        });
    }
    // Where that needs the right to trace: the kernel's own name of where it sleeps.
    let place = std::fs::read_to_string(format!("/proc/{pid}/wchan")).ok()?;
    let at = |places: &[&str]| places.iter().any(|known| place.contains(known));
    match place.as_str() {
        "0" | "" => None,
        _ if at(READING_PLACES) => Some(Waiting::Reads),
        _ if at(WAITING_PLACES) => Some(Waiting::Events),
        _ => Some(Waiting::No),
    }
}

/// Whether a file that a process reads, by its number in hexadecimal, is a terminal.
fn is_terminal(pid: i32, number: &str) -> bool {
    let Ok(number) = u32::from_str_radix(number.trim_start_matches("0x"), 16) else { return false };
    // None: it was closed, or the process has gone. Who may see the call may see the file.
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

/// So many threads of a process are looked at.
const MOST_THREADS: usize = 64;

const READING_PLACES: &[&str] = &["wait_woken", "n_tty_read"];
const WAITING_PLACES: &[&str] = &["do_select", "do_sys_poll", "poll_schedule", "ep_poll"];

fn children(pid: Pid) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

/// Whether a group has nobody that lives; one that we may not see does.
fn has_ended(group: Pid) -> bool {
    let number = group.as_raw_nonzero().get();
    Stat::pids().filter_map(Stat::read).any(|stat| stat.group == number && !stat.lives())
        || test_kill_process_group(group) == Err(Errno::SRCH)
}

/// Whether a process is of a group, and has not ended: one that nobody has asked for its end is still there.
fn lives_in(pid: Pid, group: i32) -> bool {
    Stat::read(pid.as_raw_nonzero().get()).is_some_and(|stat| stat.group == group && stat.lives())
}

/// Those of a group whose leader has gone, the newest first.
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
