//! The one typed client of the daemon: finds it, starts it if it is not there, and asks again when it was replaced.
//!
//! [`Home`] says where everything lies. [`Client::call`] does one operation, exactly once however often the daemon
//! dies meanwhile. [`Client::view`] watches a session. [`pipe`] is `cotty mcp`.

mod call;
mod guard;
mod home;
pub mod pipe;
mod start;
mod view;

pub use call::Client;
pub use guard::guard;
pub use home::Home;
pub use start::{keeper_pid, launch, lock_keeper};
pub use view::{View, Viewer};

use cotty_protocol::ErrorBody;

/// Why a client has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The daemon said no.
    #[error(transparent)]
    Refused(#[from] ErrorBody),
    /// There is none, and none was to be started.
    #[error("no cotty is running here")]
    NotRunning,
    /// It could not be started.
    #[error("cotty did not start: {0}")]
    NotStarted(String),
    /// There is one already, and a home has one.
    #[error("it is already running here ({0})")]
    AlreadyRunning(String),
    /// It went away and did not come back.
    #[error("the daemon does not answer: {0}")]
    NoAnswer(String),
    /// It was ended before it answered.
    #[error("cotty was stopped before it answered")]
    Stopped,
    /// It is there, and says nothing at all.
    #[error("the daemon is there but does not answer")]
    Hangs,
    /// A directory of ours is not as it must be.
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
            ClientError::Stopped => Some("its sessions ended with it; `cotty new` starts anew".into()),
            ClientError::NotRunning => Some("`cotty new` starts one, `cotty serve` keeps one in view".into()),
            ClientError::NoAnswer(_) | ClientError::Hangs => {
                Some("`cotty restart` replaces the daemon and keeps every session".into())
            }
            ClientError::AlreadyRunning(_) => Some(
                "`cotty status` shows it, `cotty restart` replaces its daemon and keeps every session, `cotty stop` ends all of it;\n       with another COTTY_HOME a second one runs beside it".into(),
            ),
            ClientError::NotStarted(_) | ClientError::Home(_) | ClientError::Io(_) => None,
        }
    }
}
