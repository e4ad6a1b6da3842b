//! What to do next, in the words of these commands.

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
            "inside a session you see and use only what was started there; do it from another terminal"
                .to_owned(),
        ),
        Some(cause) => for_error(cause),
        // An error of a newer daemon.
        None => body.hint.clone(),
    }
}

/// The same for an error that no daemon told.
pub(crate) fn for_error(error: &ApiError) -> Option<String> {
    error.advice().in_words(|step| say(step).or_else(|| Some(step.to_string())))
}

/// An error of ours, without a daemon.
pub(crate) fn told(error: ApiError) -> ErrorBody {
    ErrorBody::new(error, None)
}

/// Which command does it, where one does.
fn say(step: &Step) -> Option<String> {
    let text = match step {
        Step::ReadWithoutCommands(session) => {
            return Some(format!(
                "read the rest with `cotty view {session}` or `cotty recording {session} --format text`"
            ));
        }
        Step::ListSessions | Step::UseOwnSession => "list the sessions with `cotty ls`",
        Step::CreateSession => "start another with `cotty new`",
        Step::DestroySession => "remove it with `cotty kill`",
        Step::InspectSession => "see its state with `cotty ls`",
        Step::ReadRecording => "read what it showed with `cotty recording`",
        Step::ReadLastScreen => "read its last screen with `cotty view`",
        Step::ReadScreen | Step::ReadNew => "look at the screen with `cotty view`",
        Step::TypeAndRead => "use `cotty send`, `cotty view` and `cotty search`, which need no shell",
        Step::WaitForPrompt => "wait for the prompt with `cotty wait --prompt`",
        Step::WaitForKeyboard => "wait for the keyboard with `cotty wait --keyboard`",
        Step::GivePath => "give the program's path, or a PATH that has it with `--env PATH=…`",
        Step::ListRequests => "list what people are asked with `cotty requests`",
        Step::TakeKeyboard => "take the keyboard first, in `cotty attach`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Whether this command was given inside of a session, where it is never taken for the person.
pub(crate) fn inside() -> bool {
    std::env::var_os("COTTY_SESSION").is_some()
}
