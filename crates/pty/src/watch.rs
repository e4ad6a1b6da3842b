use std::future::pending;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::Pty;

/// Marks a type whose descriptor stays the same and open as long as the value lives.
pub(crate) trait Steady: AsFd + AsRawFd {}

impl Steady for crate::wire::Channel {}
impl Steady for Pty {}
impl Steady for OwnedFd {}

/// Registers a descriptor with the runtime, which reports when it is ready.
pub fn watch_descriptor(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    watch(fd)
}

/// Registers a descriptor with the runtime, which reports when it is ready.
#[expect(unsafe_code, reason = "the runtime needs the guarantee that `Steady` gives")]
pub(crate) fn watch<T: Steady>(inner: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: `Steady` types own one descriptor, always return the same one, and close it only when dropped.
    unsafe { AsyncFd::register(inner) }.map_err(Into::into)
}

/// A terminal that the runtime watches, except while its program writes without pause: then every few kilobytes would wake
/// another thread, only to report that there is output.
#[derive(Debug)]
pub struct Watched(Watch);

#[derive(Debug)]
enum Watch {
    Kept(AsyncFd<Pty>),
    LetGo(Pty),
}

impl Watched {
    /// Watches from now on.
    pub fn new(pty: Pty) -> io::Result<Watched> {
        Ok(Watched(Watch::Kept(watch(pty)?)))
    }

    /// The terminal itself.
    pub fn get_ref(&self) -> &Pty {
        match &self.0 {
            Watch::Kept(pty) => pty.get_ref(),
            Watch::LetGo(pty) => pty,
        }
    }

    /// Waits until there may be something to read; `true` if the runtime takes the terminal for closed. An unwatched terminal
    /// is always readable, but other tasks run first.
    pub async fn readable(&self) -> bool {
        match &self.0 {
            Watch::Kept(pty) => pty.readable().await.is_ok_and(|guard| guard.ready().is_read_closed()),
            Watch::LetGo(_) => {
                tokio::task::yield_now().await;
                false
            }
        }
    }

    /// Waits until there may be room to write; `true` if the runtime takes the terminal for closed. For an unwatched terminal
    /// it waits for ever.
    pub async fn writable(&self) -> bool {
        match &self.0 {
            Watch::Kept(pty) => pty.writable().await.is_ok_and(|guard| guard.ready().is_write_closed()),
            Watch::LetGo(_) => pending().await,
        }
    }

    /// Reads or writes. The runtime notes if that would block.
    pub fn try_io<T>(&self, interest: Interest, io: impl FnOnce(&Pty) -> io::Result<T>) -> io::Result<T> {
        match &self.0 {
            Watch::Kept(pty) => pty.try_io(interest, io),
            Watch::LetGo(pty) => io(pty),
        }
    }

    /// Whether the terminal is watched.
    pub fn is_kept(&self) -> bool {
        matches!(self.0, Watch::Kept(_))
    }

    /// Stops watching.
    pub fn let_go(&mut self) -> io::Result<()> {
        self.0 = Watch::LetGo(self.another()?);
        Ok(())
    }

    /// Watches again with a new registration, because the runtime never forgets a hang-up.
    pub fn renew(&mut self) -> io::Result<()> {
        self.0 = Watch::Kept(watch(self.another()?)?);
        Ok(())
    }

    fn another(&self) -> io::Result<Pty> {
        Pty::adopt(self.get_ref().duplicate()?)
    }
}
