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
                "`cotty view {session}` and `cotty recording {session} --format text` show what else was said"
            ));
        }
        Step::ListSessions | Step::UseOwnSession => "`cotty ls` lists the sessions",
        Step::CreateSession => "`cotty new` starts another",
        Step::DestroySession => "`cotty kill` takes it away",
        Step::InspectSession => "`cotty ls` shows how it is",
        Step::ReadRecording => "`cotty recording` reads what it showed",
        Step::ReadLastScreen => "`cotty view` shows its last screen",
        Step::ReadScreen | Step::ReadNew => "`cotty view` shows the screen",
        Step::TypeAndRead => "`cotty send`, `cotty view` and `cotty search` work without a shell",
        Step::WaitForPrompt => "wait for the prompt with `cotty wait --prompt`",
        Step::GivePath => "give its path, or a PATH that has it: --env PATH=…",
        Step::ListRequests => "`cotty pleas` lists what is asked",
        Step::TakeKeyboard => "take the keyboard first, in `cotty attach`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Whether this command was given inside of a session, where it is never taken for the person.
pub(crate) fn inside() -> bool {
    std::env::var_os("COTTY_SESSION").is_some()
}
