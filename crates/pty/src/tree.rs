//! Ends what a session started: its leader, its process groups, and what it put in the background.

use std::collections::HashMap;

use rustix::process::{Pid, Signal};

use crate::proc::Stat;

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

/// A session's tree, by what it is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The process that leads the session.
    pub leader: i32,
    /// What its processes carry in their environment (`COTTY_SESSION=…`), also those that set themselves free.
    pub marker: String,
}

/// The processes of each of these, in one look at the system. Zombies do not count.
pub fn members(roots: &[Root]) -> Vec<Vec<Member>> {
    let me = std::process::id().cast_signed();
    let leaders: HashMap<i32, usize> =
        roots.iter().enumerate().map(|(at, root)| (root.leader, at)).filter(|&(pid, _)| pid > 0).collect();
    let markers: HashMap<&[u8], usize> =
        roots.iter().enumerate().map(|(at, root)| (root.marker.as_bytes(), at)).collect();
    let mut trees = vec![Vec::new(); roots.len()];
    for pid in Stat::pids().filter(|&pid| pid != me) {
        let Some(stat) = Stat::read(pid).filter(|stat| stat.state != 'Z') else { continue };
        let led = leaders.get(&stat.session).or_else(|| leaders.get(&pid)).copied();
        if let Some(at) = led.or_else(|| marked(pid, &markers)) {
            trees[at].push(Member { pid, name: stat.name, free: led.is_none() });
        }
    }
    trees
}

/// Sends a signal to each that did not set itself free; one that is gone already is no error.
pub fn signal<'a>(members: impl IntoIterator<Item = &'a Member>, signal: Signal) {
    for member in members.into_iter().filter(|m| !m.free) {
        if let Some(pid) = Pid::from_raw(member.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

fn marked(pid: i32, markers: &HashMap<&[u8], usize>) -> Option<usize> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    environ.split(|&b| b == 0).find_map(|entry| markers.get(entry).copied())
}
