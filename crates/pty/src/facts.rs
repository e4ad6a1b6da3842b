//! What the kernel knows of a terminal: hints for people and agents, never guesses from the screen.

use std::os::fd::AsFd;
use std::path::PathBuf;

use rustix::process::Pid;
use rustix::termios::LocalModes;

use crate::Pty;

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

/// The working directory of a process.
pub fn directory(pid: Pid) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero())).ok()
}
