//! What the kernel knows of a terminal: hints for people and agents, never guesses from the screen.

use std::os::fd::AsFd;
use std::path::PathBuf;

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
    let led = Stat::read(number).filter(|stat| stat.state != 'Z');
    // Of a group whose leader has gone, the newest tells.
    let stat = led.or_else(|| Stat::read(newest_of(number)?.as_raw_nonzero().get()));
    stat.is_some_and(|stat| stat.state == 'T')
}

/// What a process was started with: its `environ` or its `cmdline`, with NUL bytes between the parts.
pub fn started_with(pid: Pid, what: &str) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{}/{what}", pid.as_raw_nonzero())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name of the program in a process group that most likely reads the terminal: not the one that leads it (`git`) but
/// the newest that it started (`less`).
pub fn reader_name(group: Pid) -> Option<String> {
    process_name(reader(group)?)
}

/// The process of a group that most likely reads the terminal. Of a pipeline it is the one that is seen reading it, if any:
/// `less`, not what feeds it. None where the group has gone, or is hidden from us.
fn reader(group: Pid) -> Option<Pid> {
    let (leader, group) = (group, group.as_raw_nonzero().get());
    let Some(led) = Stat::read(group).filter(|stat| stat.state != 'Z') else { return newest_of(group) };
    let beside = Pid::from_raw(led.parent).map(children).unwrap_or_default();
    let members: Vec<Pid> = beside.into_iter().filter(|&pid| group_of(pid) == Some(group)).collect();
    if members.len() > 1
        && let Some(reads) = members
            .into_iter()
            .rev()
            .map(|member| newest_below(member, group))
            .find(|&pid| waiting_of(pid) == Some(Waiting::Reads))
    {
        return Some(reads);
    }
    Some(newest_below(leader, group))
}

/// The end of a chain of programs that each started the next; bounded, in case the kernel shows us a circle.
fn newest_below(mut reader: Pid, group: i32) -> Pid {
    for _ in 0..32 {
        match children(reader).into_iter().rev().find(|&child| group_of(child) == Some(group)) {
            Some(child) => reader = child,
            None => break,
        }
    }
    reader
}

/// Bytes that were typed and that the program has not read yet; in line mode only whole lines count.
pub fn unread_input(pty: &Pty) -> Option<u64> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let slave = rustix::pty::ioctl_tiocgptpeer(pty.as_fd(), flags).ok()?;
    rustix::io::ioctl_fionread(&slave).ok()
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
    let group = foreground(pty)?;
    match reader(group) {
        Some(reader) => waiting_of(reader),
        // Between two programs there is none. One that we may not see is another matter.
        None => (test_kill_process_group(group) == Err(Errno::SRCH)).then_some(Waiting::No),
    }
}

/// Whether the program in the foreground waits for input, or for anything to happen as an editor does.
pub fn waits_for_input(pty: &Pty) -> Option<bool> {
    waiting(pty).map(|waiting| waiting != Waiting::No)
}

fn waiting_of(pid: Pid) -> Option<Waiting> {
    let pid = pid.as_raw_nonzero();
    if Stat::read(pid.get()).is_none_or(|stat| stat.state != 'S') {
        return Some(Waiting::No);
    }
    if let Ok(call) = std::fs::read_to_string(format!("/proc/{pid}/syscall")) {
        let mut words = call.split_ascii_whitespace();
        // Else it says "running": the program went on after the look above.
        let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else {
            return Some(Waiting::No);
        };
        let first = words.next().unwrap_or_default();
        return Some(match number {
            READ_CALL if is_terminal(pid.get(), first) => Waiting::Reads,
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
    match std::fs::read_link(format!("/proc/{pid}/fd/{number}")) {
        Ok(file) => file.starts_with("/dev/pts") || file.as_os_str() == "/dev/tty",
        Err(_) => number == 0,
    }
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

const READING_PLACES: &[&str] = &["wait_woken", "n_tty_read"];
const WAITING_PLACES: &[&str] = &["do_select", "do_sys_poll", "poll_schedule", "ep_poll"];

fn children(pid: Pid) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

fn group_of(pid: Pid) -> Option<i32> {
    Some(Stat::read(pid.as_raw_nonzero().get())?.group)
}

/// For a group whose leader has gone.
fn newest_of(group: i32) -> Option<Pid> {
    let members = Stat::pids().filter(|&pid| Stat::read(pid).is_some_and(|stat| stat.group == group));
    members.max().and_then(Pid::from_raw)
}

/// The working directory of a process.
pub fn directory(pid: Pid) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero())).ok()
}
