use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// Columns and rows of a terminal, as the kernel stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

/// The master of a pseudo-terminal, non-blocking.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
}

impl Pty {
    /// Opens a pseudo-terminal; returns its master, and its slave for the child.
    pub fn open(size: WindowSize) -> io::Result<(Pty, OwnedFd)> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        // If no terminal is left, the kernel returns ENOSPC, but the library returns EAGAIN, as POSIX demands.
        let master =
            rustix::pty::openpt(flags).map_err(|e| if e == Errno::AGAIN { Errno::NOSPC } else { e })?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        let name = rustix::pty::ptsname(&master, Vec::new())?;
        let slave = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        // Makes the kernel erase whole characters, not bytes, in canonical mode.
        let mut termios = rustix::termios::tcgetattr(&slave)?;
        termios.input_modes |= rustix::termios::InputModes::IUTF8;
        rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &termios)?;
        let pty = Pty::adopt(master)?;
        pty.resize(size)?;
        Ok((pty, slave))
    }

    /// Uses a master that the keeper held.
    pub fn adopt(master: OwnedFd) -> io::Result<Pty> {
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Pty { master })
    }

    /// Sets the kernel's size; the kernel notifies the programs.
    pub fn resize(&self, size: WindowSize) -> io::Result<()> {
        let winsize = Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(rustix::termios::tcsetwinsize(&self.master, winsize)?)
    }

    /// The kernel's size.
    pub fn size(&self) -> io::Result<WindowSize> {
        let winsize = rustix::termios::tcgetwinsize(&self.master)?;
        Ok(WindowSize { cols: winsize.ws_col, rows: winsize.ws_row })
    }

    /// A duplicate for the keeper.
    pub fn duplicate(&self) -> io::Result<OwnedFd> {
        self.master.as_fd().try_clone_to_owned()
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl std::os::fd::AsRawFd for Pty {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.master.as_raw_fd()
    }
}
