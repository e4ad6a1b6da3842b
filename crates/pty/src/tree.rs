//! The process tree: the ancestors of a process, and the processes of a session.
//!
//! The processes of a session are those that descend from its subreaper. A keeper of an earlier version starts no
//! subreapers; then they are those of the program's kernel session, and those whose environment names the session.

use std::collections::HashMap;

use rustix::process::{Pid, Signal};

use crate::facts::children_of_all_threads;
use crate::proc::Stat;
use crate::subreaper::name_of;

/// A process that belongs to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub pid: i32,
    /// Its short name.
    pub name: String,
    /// Whether only its environment says that it belongs to the session. It may be anyone's, so it gets no signals.
    pub unproved: bool,
}

/// How to recognise the processes of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// They descend from a subreaper.
    Subreaper {
        /// The session's key.
        key: String,
        /// The subreaper; `None` if it has ended, and with it every process.
        pid: Option<u32>,
    },
    /// The keeper starts no subreapers.
    Program {
        /// The session's key.
        key: String,
        /// Its program; 0 if it is unknown.
        pid: u32,
    },
}

/// The processes of each of these sessions, which this keeper holds. Zombies do not count.
pub fn members(keeper: u32, roots: &[Root]) -> Vec<Vec<Member>> {
    let mut trees: Vec<Vec<Member>> = vec![Vec::new(); roots.len()];
    let mut led = Led::default();
    for (at, root) in roots.iter().enumerate() {
        match root {
            Root::Subreaper { key, pid } => {
                let there = pid.filter(|&pid| is_subreaper(keeper, key, pid));
                trees[at] = there.map(descendants).unwrap_or_default();
            }
            Root::Program { key, pid } => {
                led.programs.insert(pid.cast_signed(), at);
                led.marks.insert(format!("COTTY_SESSION={key}").into_bytes(), at);
            }
        }
    }
    if !led.marks.is_empty() {
        led.find(&mut trees);
    }
    trees
}

/// The subreaper of a session. `program`: the session's program, while it runs; without it all subreapers are looked at.
pub fn subreaper(keeper: u32, key: &str, program: Option<u32>) -> Option<u32> {
    let candidates = match program.and_then(|pid| Stat::read(pid.cast_signed())) {
        Some(stat) => vec![stat.parent],
        None => Pid::from_raw(keeper.cast_signed())
            .map(children_of_all_threads)
            .unwrap_or_default()
            .into_iter()
            .map(|pid| pid.as_raw_nonzero().get())
            .collect(),
    };
    candidates.into_iter().map(i32::cast_unsigned).find(|&pid| is_subreaper(keeper, key, pid))
}

/// Whether a process is the subreaper of this session: another process may have its id by now.
pub fn is_subreaper(keeper: u32, key: &str, pid: u32) -> bool {
    let stat = Stat::read(pid.cast_signed()).filter(Stat::lives);
    stat.is_some_and(|stat| {
        stat.parent.cast_unsigned() == keeper && stat.name.as_bytes() == name_of(key.as_bytes())
    })
}

/// Whether this process may see that one and its children. `/proc` can hide processes that forbid inspection, and not every
/// kernel lists children.
pub fn is_visible(pid: u32) -> bool {
    Stat::read(pid.cast_signed()).is_some() && std::path::Path::new("/proc/thread-self/children").exists()
}

fn descendants(pid: u32) -> Vec<Member> {
    let mut unseen: Vec<Pid> = Pid::from_raw(pid.cast_signed()).into_iter().collect();
    let mut found = Vec::new();
    while let Some(parent) = unseen.pop() {
        for child in children_of_all_threads(parent) {
            let pid = child.as_raw_nonzero().get();
            if let Some(stat) = Stat::read(pid).filter(Stat::lives) {
                found.push(Member { pid, name: stat.name, unproved: false });
            }
            // Also below one that has ended meanwhile: its children may not have another parent yet.
            unseen.push(child);
        }
    }
    found
}

/// Sessions without subreapers, by program and by the variable that their processes have in their environment.
#[derive(Default)]
struct Led {
    programs: HashMap<i32, usize>,
    marks: HashMap<Vec<u8>, usize>,
}

impl Led {
    /// Finds their processes in one pass over `/proc`.
    fn find(&self, trees: &mut [Vec<Member>]) {
        let me = std::process::id().cast_signed();
        for pid in Stat::pids().filter(|&pid| pid != me) {
            let Some(stat) = Stat::read(pid).filter(Stat::lives) else { continue };
            let led = self.programs.get(&stat.session).or_else(|| self.programs.get(&pid)).copied();
            if let Some(at) = led.or_else(|| self.marked(pid)) {
                trees[at].push(Member { pid, name: stat.name, unproved: led.is_none() });
            }
        }
    }

    fn marked(&self, pid: i32) -> Option<usize> {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        environ.split(|&b| b == 0).find_map(|entry| self.marks.get(entry).copied())
    }
}

/// One process of a lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Its id.
    pub pid: u32,
    /// The id of the leader of its kernel session. The kernel gives this id to no other process as long as the session has
    /// a process.
    pub session: u32,
    /// Its short name.
    pub name: String,
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
                // A hidden process of another user: none of ours is above it. A hidden process of our own: the subreaper.
                lineage.descends = exists(next);
                let known = lineage.descends || is_anothers(next);
                return Some(lineage).filter(|lineage| known && !lineage.line.is_empty());
            };
            let session = stat.session.cast_unsigned();
            lineage.line.push(Relative { pid: next.cast_unsigned(), session, name: stat.name });
            // In case `/proc` shows a cycle, because parents change meanwhile.
            if lineage.line.len() > LONGEST_LINE {
                return None;
            }
            next = stat.parent;
        }
        Some(lineage)
    }
}

fn exists(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

fn is_anothers(pid: i32) -> bool {
    let pid = Pid::from_raw(pid);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::PERM))
}

/// How often following a lineage is tried.
const LOOKS: usize = 3;

/// The most processes in a lineage, more than any real process tree has.
const LONGEST_LINE: usize = 4096;

/// Sends a signal to each process that is known to belong to its session. A process that is gone is not an error.
pub fn signal<'a>(members: impl IntoIterator<Item = &'a Member>, signal: Signal) {
    for member in members.into_iter().filter(|member| !member.unproved) {
        if let Some(pid) = Pid::from_raw(member.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
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
