use std::io;
use std::path::Path;
use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::Activity;
use cotty_pty::KeeperError;

use crate::{PolicyError, has_a_terminal_inside};

/// Why an operation on a session was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The operation was refused; the caller gets this error unchanged.
    #[error(transparent)]
    Refused(#[from] ApiError),
    /// The shell does not wait for a command.
    #[error("the shell is not waiting for a command")]
    NotAtPrompt {
        /// What the session is doing instead.
        activity: Activity,
        /// How long a retry is worth waiting: the shell may soon show its prompt, or the program just got input.
        soon: Duration,
    },
    /// Reading or writing failed.
    #[error("IO error: {0}")]
    Io(#[from] io::Error),
    /// The keeper refused a request.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The policy is invalid.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> ApiError {
        match error {
            SessionError::Refused(error) => error,
            SessionError::NotAtPrompt { activity, .. } => not_at_prompt(activity),
            SessionError::Io(error) => ApiError::Io { error: error.to_string() },
            SessionError::Keeper(error) => ApiError::Keeper { error: error.to_string() },
            SessionError::Policy(error) => ApiError::Policy { error: error.to_string() },
        }
    }
}

fn not_at_prompt(activity: Activity) -> ApiError {
    let nested = is_nested(&activity);
    ApiError::NotAtPrompt { activity, nested }
}

/// Whether the running program has terminals of its own (such as `tmux`), whose state cotty cannot see.
pub fn is_nested(activity: &Activity) -> bool {
    matches!(activity, Activity::Running { program: Some(program) } if has_a_terminal_inside(program))
}

/// The session failed.
pub(crate) fn broken(error: impl Into<String>) -> SessionError {
    ApiError::Broken { error: error.into() }.into()
}

/// The program has ended.
pub(crate) fn exited(exit_code: Option<i32>) -> SessionError {
    ApiError::Exited { exit_code }.into()
}

/// A parameter of the call is invalid.
pub(crate) fn invalid(problem: impl Into<String>) -> SessionError {
    ApiError::invalid(problem).into()
}

/// The session was destroyed.
pub(crate) fn destroyed(session: impl Into<String>) -> SessionError {
    ApiError::SessionDestroyed { session: session.into() }.into()
}

/// A directory cannot be entered.
pub(crate) fn directory(dir: &Path, error: &io::Error) -> SessionError {
    ApiError::Directory { dir: dir.to_string_lossy().into_owned(), error: error.to_string() }.into()
}
