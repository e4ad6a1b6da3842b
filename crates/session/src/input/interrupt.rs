//! An interrupt overtakes the input before it: a terminal acts on Ctrl-C only when it gets there, which may be never if the program
//! does not read.

use cotty_pty::{Pty, facts};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
use rustix::termios::{LocalModes, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr};
use serde::{Deserialize, Serialize};

/// The kernel acts at once on an interrupt behind this many bytes: half of what it holds for a program.
const NOT_IN_THE_WAY: u64 = 2048;

/// Input that an interrupt removed before the program got it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    pub(crate) bytes: u64,
    /// How many of its line ends were in the queue, and so have no echo.
    pub(crate) lines: u32,
}

/// What the kernel holds of the input before an interrupt that it cannot act on; `None` if nothing is in the way, or if the bytes
/// are no interrupt. `waiting`: how much is in the queue.
pub(crate) fn in_the_way(bytes: &[u8], pty: &Pty, waiting: u64) -> Option<u64> {
    let [byte] = bytes else { return None };
    let modes = tcgetattr(pty).ok()?;
    let interrupt = modes.special_codes[SpecialCodeIndex::VINTR];
    let acts = modes.local_modes.contains(LocalModes::ISIG) && interrupt != 0;
    let unread = || facts::unread_input(pty).unwrap_or(0);
    (acts && *byte == interrupt).then(unread).filter(|unread| waiting > 0 || *unread >= NOT_IN_THE_WAY)
}

/// Discards the input that the kernel holds.
pub(crate) fn discard_unread(pty: &Pty) {
    let _ = tcflush(pty, QueueSelector::OFlush);
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    if let Ok(terminal) = ioctl_tiocgptpeer(pty, flags) {
        let _ = tcflush(terminal, QueueSelector::IFlush);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_pty::WindowSize;

    #[test]
    fn an_interrupt_is_acted_on_though_nobody_reads() {
        let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
        assert_eq!(in_the_way(b"\x03", &pty, 0), None, "nothing is in the way");
        assert_eq!(in_the_way(b"\x03", &pty, 7), Some(0));
        assert_eq!(in_the_way(b"x", &pty, 7), None);
        while rustix::io::write(&pty, &b"typed ahead\n".repeat(100)).is_ok() {}
        assert!(in_the_way(b"\x03", &pty, 0).is_some());
        discard_unread(&pty);
        assert_eq!((rustix::io::write(&pty, b"x"), facts::unread_input(&pty)), (Ok(1), Some(0)));
        let mut modes = tcgetattr(&slave).unwrap();
        modes.local_modes.remove(LocalModes::ISIG);
        rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &modes).unwrap();
        assert_eq!(in_the_way(b"\x03", &pty, 7), None, "the program gets it as a key");
    }
}
