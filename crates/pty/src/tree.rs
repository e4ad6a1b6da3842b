//! Ends what a session started: its leader, its process groups, and what it put in the background.

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

/// Processes of the session that `leader` leads, and those that carry `marker` (`COTTY_SESSION=…`) in their
/// environment although they set themselves free. Zombies do not count.
pub fn members(leader: i32, marker: &str) -> Vec<Member> {
    let me = std::process::id().cast_signed();
    Stat::pids()
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

fn carries(pid: i32, marker: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|&b| b == 0).any(|entry| entry == marker.as_bytes()))
}
