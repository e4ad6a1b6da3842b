//! The program that the keeper starts: cotty itself, held open, so that it can be started when its path is gone or another
//! version was installed there.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags};

/// The program, and the one before it until the new one has proved itself.
#[derive(Debug)]
pub(crate) struct Program {
    held: OwnedFd,
    before: Option<OwnedFd>,
    path: PathBuf,
}

impl Program {
    /// Holds the program of this process, which was started from `path`.
    pub(crate) fn own(path: PathBuf) -> io::Result<Program> {
        let held = open(Path::new("/proc/self/exe")).or_else(|_| open(&path))?;
        Ok(Program { held, before: None, path })
    }

    /// Starts this program from now on.
    pub(crate) fn replace(&mut self, program: OwnedFd) {
        let before = std::mem::replace(&mut self.held, program);
        // A program that has not proved itself is not worth going back to.
        self.before.get_or_insert(before);
    }

    /// The program works.
    pub(crate) fn is_ready(&mut self) {
        self.before = None;
    }

    /// The program failed for the `times`th time in a row. Goes back to the one before. Without one, from the third time on it also
    /// tries what is at the path, where a repaired version may have been installed.
    pub(crate) fn failed(&mut self, times: u32) {
        if let Some(before) = self.before.take() {
            self.held = before;
        } else if times >= 3
            && let Some(installed) = open(&self.path).ok().filter(|file| is_executable(file))
        {
            self.replace(installed);
        }
    }

    /// The descriptor with which a command starts the program.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.held.as_raw_fd()
    }

    /// A command that starts it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(format!("/proc/self/fd/{}", self.descriptor()));
        command.arg0(&self.path);
        command
    }
}

/// A descriptor by which a program can be started but not read.
pub fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

/// Whether a descriptor is a regular file that someone may execute.
pub(crate) fn is_executable(program: impl AsFd) -> bool {
    let kind = |mode| rustix::fs::FileType::from_raw_mode(mode);
    rustix::fs::fstat(program).is_ok_and(|stat| {
        kind(stat.st_mode) == rustix::fs::FileType::RegularFile && stat.st_mode & 0o111 != 0
    })
}
