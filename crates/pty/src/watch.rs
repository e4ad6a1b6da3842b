use std::io;
use std::os::fd::{AsFd, AsRawFd};

use tokio::io::unix::AsyncFd;

/// Says of a type that its descriptor stays the same, and open, for as long as the value lives.
pub(crate) trait Steady: AsFd + AsRawFd {}

impl Steady for crate::wire::Channel {}
impl Steady for crate::Pty {}

/// Lets the runtime tell when a descriptor is ready.
#[expect(unsafe_code, reason = "the runtime wants the promise that `Steady` is")]
pub(crate) fn watch<T: Steady>(inner: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: `Steady` types own one descriptor, answer the same one always, and close it only when dropped.
    unsafe { AsyncFd::register(inner) }.map_err(Into::into)
}
