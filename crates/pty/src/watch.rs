use std::future::pending;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::Pty;

/// Says of a type that its descriptor stays the same, and open, for as long as the value lives.
pub(crate) trait Steady: AsFd + AsRawFd {}

impl Steady for crate::wire::Channel {}
impl Steady for Pty {}

/// Lets the runtime tell when a descriptor is ready.
#[expect(unsafe_code, reason = "the runtime wants the promise that `Steady` is")]
pub(crate) fn watch<T: Steady>(inner: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: `Steady` types own one descriptor, answer the same one always, and close it only when dropped.
    unsafe { AsyncFd::register(inner) }.map_err(Into::into)
}

/// A terminal that the runtime watches, but for the time that its program prints without end: the kernel would wake
/// another thread with every few kilobytes, only to tell what is known.
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

    /// Until there may be something to read; `true` if the runtime believes it closed. One that is let go always may have something,
    /// but others go first.
    pub async fn readable(&self) -> bool {
        match &self.0 {
            Watch::Kept(pty) => pty.readable().await.is_ok_and(|guard| guard.ready().is_read_closed()),
            Watch::LetGo(_) => {
                tokio::task::yield_now().await;
                false
            }
        }
    }

    /// Until there may be room to write; `true` if the runtime believes it closed. Not told of one that is let go.
    pub async fn writable(&self) -> bool {
        match &self.0 {
            Watch::Kept(pty) => pty.writable().await.is_ok_and(|guard| guard.ready().is_write_closed()),
            Watch::LetGo(_) => pending().await,
        }
    }

    /// Reads or writes; what would block is remembered.
    pub fn try_io<T>(&self, interest: Interest, io: impl FnOnce(&Pty) -> io::Result<T>) -> io::Result<T> {
        match &self.0 {
            Watch::Kept(pty) => pty.try_io(interest, io),
            Watch::LetGo(pty) => io(pty),
        }
    }

    /// Whether it is watched.
    pub fn is_kept(&self) -> bool {
        matches!(self.0, Watch::Kept(_))
    }

    /// Stops watching.
    pub fn let_go(&mut self) -> io::Result<()> {
        self.0 = Watch::LetGo(self.another()?);
        Ok(())
    }

    /// Watches again, and forgets all that the runtime believed of it: a hang-up it would believe for ever.
    pub fn renew(&mut self) -> io::Result<()> {
        self.0 = Watch::Kept(watch(self.another()?)?);
        Ok(())
    }

    fn another(&self) -> io::Result<Pty> {
        Pty::adopt(self.get_ref().duplicate()?)
    }
}
