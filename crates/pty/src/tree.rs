//! Ends what a session started: its leader, its process groups, and what it put in the background.

use rustix::process::{Pid, Signal};

/// A process that belongs to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub pid: i32,
    /// Its short name.
    pub name: String,
    /// It made itself a session of its own (`setsid`, a daemon): it outlives the terminal on purpose.
    pub free: bool,
}

/// Processes of the session that `leader` leads, and those that carry `marker` (`COTTY_SESSION=…`) in their
/// environment although they set themselves free. Zombies do not count.
pub fn members(leader: i32, marker: &str) -> Vec<Member> {
    let Ok(dir) = std::fs::read_dir("/proc") else { return Vec::new() };
    let me = std::process::id().cast_signed();
    dir.flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|&pid| pid != me)
        .filter_map(|pid| {
            let stat = Stat::read(pid)?;
            let ours = stat.session == leader || pid == leader || carries(pid, marker);
            let free = stat.session != leader && pid != leader;
            (ours && stat.state != 'Z').then_some(Member { pid, name: stat.name, free })
        })
        .collect()
}

/// Sends a signal to each that did not set itself free; one that is gone already is no error.
pub fn signal(members: &[Member], signal: Signal) {
    for member in members.iter().filter(|m| !m.free) {
        if let Some(pid) = Pid::from_raw(member.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

struct Stat {
    name: String,
    state: char,
    session: i32,
}

impl Stat {
    /// Field 2 of `/proc/PID/stat` is in parentheses and may itself hold any, so the rest is cut at the last one.
    fn read(pid: i32) -> Option<Stat> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (head, rest) = text.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let session = fields.nth(2)?.parse().ok()?;
        Some(Stat { name: name.to_owned(), state, session })
    }
}

fn carries(pid: i32, marker: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|&b| b == 0).any(|entry| entry == marker.as_bytes()))
}
