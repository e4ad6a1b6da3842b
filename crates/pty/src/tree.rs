//! The tree of processes: where one comes from, and how what a session started is ended: its leader, its process groups,
//! and what it put in the background.

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

/// One process of a lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Its id.
    pub pid: u32,
    /// The process that leads the kernel's session that it is in. The kernel gives its id to no other process as long as
    /// the session has one.
    pub session: u32,
}

/// Where a process comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The process itself first, then its parent, and so on. Empty: it is gone, or cannot be seen.
    pub line: Vec<Relative>,
    /// Whether it descends from the one that was asked for, which is not in the line itself.
    pub descends: bool,
}

impl Lineage {
    /// Of this process, up to `top` or the first. What cannot be followed to one of the two is no lineage at all: it could be
    /// anybody's.
    pub fn of(pid: u32, top: u32) -> Lineage {
        // A parent that ends while we look hands its children on: looked at again, they have another.
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
                // Another user's, where the system hides those: none of ours is above it.
                return is_anothers(next).then_some(lineage).filter(|lineage| !lineage.line.is_empty());
            };
            let session = stat.session.cast_unsigned();
            lineage.line.push(Relative { pid: next.cast_unsigned(), session });
            // In case the kernel shows us a circle: parents change while we look.
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

/// How often a lineage is looked at before it is given up.
const LOOKS: usize = 3;

/// Deeper than any tree that people build.
const LONGEST_LINE: usize = 4096;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_goes_up_to_whom_it_is_asked_for() {
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
        assert_eq!(Lineage::of(pid, me), Lineage::default(), "it is gone");
    }

    #[test]
    fn a_name_that_is_no_text_hides_nobody() {
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
        // It answers when its child reads: then both are there.
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
