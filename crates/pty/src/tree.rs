//! The process tree: the ancestors of a process, and the processes of a session, which are its leader, its process groups
//! and its background jobs.

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
    /// Whether it left the session (`setsid`, a daemon), so that it outlives the terminal on purpose.
    pub free: bool,
}

/// How to recognise the processes of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The process that leads the session.
    pub leader: i32,
    /// The variable that its processes have in their environment (`COTTY_SESSION=…`), even those that left the session.
    pub marker: String,
}

/// The processes of each of these sessions, from one pass over `/proc`. Zombies do not count.
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

/// One process of a lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Its id.
    pub pid: u32,
    /// The id of the leader of its kernel session. The kernel gives this id to no other process as long as the session has
    /// a process.
    pub session: u32,
}

/// The ancestors of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The process itself first, then its parent, and so on. Empty: the process is gone or hidden.
    pub line: Vec<Relative>,
    /// Whether the process descends from `top`, which is not in the line itself.
    pub descends: bool,
}

impl Lineage {
    /// The lineage of a process up to `top` or the first process. If neither can be reached, the lineage is empty, because
    /// the process could be anyone's.
    pub fn of(pid: u32, top: u32) -> Lineage {
        // If a parent ends meanwhile, its children get another parent: try again.
        (0..LOOKS).find_map(|_| Lineage::followed(pid, top)).unwrap_or_default()
    }

    fn followed(pid: u32, top: u32) -> Option<Lineage> {
        let mut lineage = Lineage::default();
        let mut next = pid.cast_signed();
        while next > 0 {
            if next.cast_unsigned() == top {
                lineage.descends = true;
                break;
            }
            let Some(stat) = Stat::read(next) else {
                // A hidden process of another user: none of ours is above it.
                return is_anothers(next).then_some(lineage).filter(|lineage| !lineage.line.is_empty());
            };
            let session = stat.session.cast_unsigned();
            lineage.line.push(Relative { pid: next.cast_unsigned(), session });
            // In case `/proc` shows a cycle, because parents change meanwhile.
            if lineage.line.len() > LONGEST_LINE {
                return None;
            }
            next = stat.parent;
        }
        Some(lineage)
    }
}

fn is_anothers(pid: i32) -> bool {
    let pid = Pid::from_raw(pid);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::PERM))
}

/// How often following a lineage is tried.
const LOOKS: usize = 3;

/// The most processes in a lineage, more than any real process tree has.
const LONGEST_LINE: usize = 4096;

/// Sends a signal to each process that did not leave its session. A process that is gone is not an error.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_ends_at_the_given_ancestor() {
        let me = std::process::id();
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let lineage = Lineage::of(child.id(), me);
        assert_eq!(lineage.line.iter().map(|relative| relative.pid).collect::<Vec<_>>(), [child.id()]);
        assert!(lineage.descends);
        let other = Lineage::of(me, child.id());
        assert!(!other.descends && other.line[0].pid == me);
        drop(child.stdin.take());
        let (pid, _) = (child.id(), child.wait().unwrap());
        assert_eq!(Lineage::of(pid, me), Lineage::default(), "the process is gone");
    }

    #[test]
    fn a_process_whose_name_is_not_utf8_is_found() {
        use std::os::unix::ffi::OsStrExt;
        let folder = std::env::temp_dir().join(format!("cotty-tree-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let program = folder.join(std::ffi::OsStr::from_bytes(b"\xff) Z 1"));
        std::fs::copy("/bin/sh", &program).unwrap();
        let mut shell = std::process::Command::new(&program)
            .args(["-c", "cat; :"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // When `cat` answers, both processes run.
        std::io::Write::write_all(shell.stdin.as_mut().unwrap(), b"x").unwrap();
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let cat = Stat::pids()
            .find(|&pid| Stat::read(pid).is_some_and(|stat| stat.parent.cast_unsigned() == shell.id()));
        let lineage = Lineage::of(cat.unwrap().cast_unsigned(), std::process::id());
        assert!(lineage.descends && lineage.line[1].pid == shell.id());
        drop(shell.stdin.take());
        shell.wait().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}
