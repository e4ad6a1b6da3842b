//! Hints: what to do next, in terms of cotty's commands and options.

use cotty_client::ClientError;
use cotty_protocol::error::Step;
use cotty_protocol::{ApiError, ErrorBody};

/// The next step after an error, if there is one.
pub(crate) fn hint(error: &ClientError) -> Option<String> {
    match error {
        ClientError::Refused(body) => refused(body),
        other => other.hint(),
    }
}

fn refused(body: &ErrorBody) -> Option<String> {
    match body.cause.as_deref() {
        Some(ApiError::NotYours { .. }) if inside() => Some(
            "inside a session you can use only sessions that were started there; use another terminal"
                .to_owned(),
        ),
        Some(cause) => for_error(cause),
        // The error comes from a newer daemon.
        None => body.hint.clone(),
    }
}

/// The next step after an error that did not come from the daemon.
pub(crate) fn for_error(error: &ApiError) -> Option<String> {
    error.advice().in_words(words)
}

/// An error that the command line itself found.
pub(crate) fn own_error(error: ApiError) -> ErrorBody {
    ErrorBody::new(error, None)
}

fn words(step: &Step) -> Option<String> {
    match step {
        // It names a parameter, which the command line does not have.
        Step::GiveLiteral(_) => None,
        _ => command_for(step).or_else(|| Some(step.to_string())),
    }
}

/// The step in terms of a command, if one does it.
fn command_for(step: &Step) -> Option<String> {
    let text = match step {
        Step::ReadWithoutCommands(session) => {
            return Some(format!(
                "read the output with `cotty view {session}` or `cotty recording {session} --format text`"
            ));
        }
        Step::ListSessions | Step::UseOwnSession => "list the sessions with `cotty ls`",
        Step::CreateSession => "start another session with `cotty new`",
        Step::DestroySession => "remove it with `cotty kill`",
        Step::InspectSession => "see its state with `cotty ls`",
        Step::ReadRecording => "read its recording with `cotty recording`",
        Step::ReadLastScreen => "read its last screen with `cotty view`",
        Step::ReadScreen | Step::ReadNew => "read the screen with `cotty view`",
        Step::TypeAndRead => "use `cotty send`, `cotty view` and `cotty search`, which need no shell",
        Step::WaitForPrompt => "wait for the prompt with `cotty wait --prompt`",
        Step::WaitForKeyboard => "wait for the keyboard with `cotty wait --keyboard`",
        Step::GivePath => "give the program's path, or set PATH with `--env PATH=…`",
        Step::ListRequests => "list the open requests with `cotty requests`",
        Step::TakeKeyboard => "take the keyboard first in `cotty attach`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Whether this command runs inside a session. There the daemon never takes it for the person.
pub(crate) fn inside() -> bool {
    std::env::var_os("COTTY_SESSION").is_some()
}
