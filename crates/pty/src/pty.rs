use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// Columns and rows of a terminal, as the kernel keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Characters in a row.
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
    /// Opens a pair; the slave is for the child.
    pub fn open(size: WindowSize) -> io::Result<(Pty, OwnedFd)> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        // As POSIX has it, the library says EAGAIN where the kernel said ENOSPC: no terminal is left.
        let master =
            rustix::pty::openpt(flags).map_err(|e| if e == Errno::AGAIN { Errno::NOSPC } else { e })?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        let name = rustix::pty::ptsname(&master, Vec::new())?;
        let slave = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        // The kernel then erases whole characters, not bytes, on a cooked line.
        let mut termios = rustix::termios::tcgetattr(&slave)?;
        termios.input_modes |= rustix::termios::InputModes::IUTF8;
        rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &termios)?;
        let pty = Pty::adopt(master)?;
        pty.resize(size)?;
        Ok((pty, slave))
    }

    /// Goes on with a master that the keeper held.
    pub fn adopt(master: OwnedFd) -> io::Result<Pty> {
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Pty { master })
    }

    /// Tells the kernel, which tells the programs.
    pub fn resize(&self, size: WindowSize) -> io::Result<()> {
        let winsize = Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(rustix::termios::tcsetwinsize(&self.master, winsize)?)
    }

    /// What the kernel believes.
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
