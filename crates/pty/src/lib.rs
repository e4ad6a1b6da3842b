//! What stands between cotty and the kernel: the keeper, the children it starts, and what a PTY can tell.
//!
//! - [`keeper`]: the small process that never dies. It is the parent of the daemon and of every child, and holds
//!   the descriptors that must outlive a daemon. Its protocol ([`wire`]) is version 1 for ever.
//! - [`Link`]: the daemon's end of that protocol.
//! - [`child`]: `cotty __child`, which turns itself into the program of a session.
//! - [`Pty`]: a master and its slave; [`facts`] reads what the kernel knows of it; [`tree`] ends what it started.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "cotty runs on Linux for now: the macOS counterparts of pidfd, memfd and /proc are not written yet"
);

pub mod child;
pub mod facts;
pub mod keeper;
mod link;
mod proc;
mod pty;
pub mod tree;
mod watch;
pub mod wire;

pub use link::{Entry, Event, KeeperError, Link};
pub use pty::{Pty, WindowSize};
pub use watch::Watched;
