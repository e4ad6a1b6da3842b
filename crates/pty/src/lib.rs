//! The interface to the kernel: the keeper, the children it starts, and the PTYs.
//!
//! - [`keeper`]: the small process that outlives every daemon. It is the parent of the daemon, starts every session below a
//!   subreaper, and holds the descriptors that must outlive a daemon. Its protocol ([`wire`]) stays version 1 for ever.
//! - [`Link`]: the daemon's end of that protocol.
//! - [`child`]: `cotty __child`, which executes the program of a session.
//! - [`Pty`]: a pseudo-terminal. [`facts`] reads what the kernel knows about it; [`tree`] ends the processes in it.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "cotty runs only on Linux: the macOS counterparts of pidfd, memfd and /proc are not implemented yet"
);

pub mod child;
pub mod facts;
pub mod keeper;
mod link;
mod proc;
mod program;
mod pty;
mod refusal;
mod subreaper;
pub mod tree;
mod watch;
pub mod wire;
mod words;

pub use link::{Entry, Event, KeeperError, Link};
pub use program::open as open_program;
pub use pty::{Pty, WindowSize};
pub use watch::{Watched, watch_descriptor};
