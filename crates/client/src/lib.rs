//! The typed client of the daemon: finds it, starts it if it does not run, and calls again if it was replaced.
//!
//! [`Home`] knows the paths. [`Client::call`] performs one operation, exactly once however often the daemon dies
//! meanwhile. [`Client::view`] watches a session. [`pipe`] implements `cotty mcp`.

mod call;
mod environment;
mod guard;
mod home;
pub mod pipe;
mod start;
mod view;

pub use call::Client;
pub use environment::{has_more_than_needed, start_again_with_needed};
pub use guard::guard;
pub use home::Home;
pub use start::{keeper_pid, launch, lock_keeper};
pub use view::{View, Viewer};

use cotty_protocol::ErrorBody;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The daemon refused the call.
    #[error(transparent)]
    Refused(#[from] ErrorBody),
    /// No daemon runs, and the client does not start one.
    #[error("cotty is not running here")]
    NotRunning,
    /// The daemon could not be started.
    #[error("cotty did not start: {0}")]
    NotStarted(String),
    /// A keeper already runs in this home.
    #[error("cotty is already running here ({0})")]
    AlreadyRunning(String),
    /// The daemon died and was not replaced, or its answer is unusable.
    #[error("the daemon does not answer: {0}")]
    NoAnswer(String),
    /// cotty was stopped before it answered.
    #[error("cotty was stopped before it answered")]
    Stopped,
    /// The daemon accepts connections but does not answer.
    #[error("the daemon is running but does not answer")]
    Hangs,
    /// A directory of the home is unusable.
    #[error("{0}")]
    Home(String),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ClientError {
    /// The next step to try.
    pub fn hint(&self) -> Option<String> {
        match self {
            ClientError::Refused(error) => error.hint.clone(),
            ClientError::Stopped => Some("its sessions ended with it; `cotty new` starts it again".into()),
            ClientError::NotRunning => Some("`cotty new` starts it in the background, `cotty serve` in the foreground".into()),
            ClientError::NoAnswer(_) | ClientError::Hangs => {
                Some("`cotty restart` replaces the daemon and keeps every session".into())
            }
            ClientError::AlreadyRunning(_) => Some(
                "`cotty status` shows its state, `cotty restart` replaces its daemon and keeps every session, `cotty stop` ends it;\n       set another COTTY_HOME to run a second one".into(),
            ),
            ClientError::NotStarted(_) | ClientError::Home(_) | ClientError::Io(_) => None,
        }
    }
}
