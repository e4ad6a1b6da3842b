//! The next step after a refusal, in the words of these tools.

use cotty_protocol::{Code, Fault};

/// The fault with its hint in our words, where there are better ones than the operation's.
pub(in crate::face::mcp) fn ours(mut fault: Fault) -> Fault {
    if fault.code == Code::KeyboardHeld {
        // It says when the keyboard comes back.
        let ours = |hint: String| hint.replace("a wait with `keyboard`", "terminal__wait with keyboard true");
        fault.hint = fault.hint.map(ours);
        return fault;
    }
    let hint = match fault.code {
        Code::SessionNotFound if fault.hint.as_ref().is_none_or(|hint| !hint.starts_with("did you mean")) => {
            "list yours (terminal__list_sessions)"
        }
        Code::NotYours => "use a session of your own (terminal__list_sessions shows them)",
        Code::SessionDestroyed => "make another (terminal__create_session)",
        Code::ProcessExited => {
            "read its last screen (terminal__read), destroy it (terminal__destroy_session), and make another (terminal__create_session)"
        }
        Code::SecretInput => {
            "only a person may type it: ask one (terminal__request_user_input), or leave the question (terminal__send key \"ctrl+c\")"
        }
        Code::NotAtPrompt if fault.message.contains("command line") => {
            "clear it (terminal__send key \"ctrl+u\"), or run it (terminal__send key \"enter\")"
        }
        Code::NotAtPrompt => {
            "wait for the prompt (terminal__wait with prompt true), or answer the program or leave it (terminal__send: a pager with text \"q\", an editor with its own command, most others with key \"ctrl+c\")"
        }
        Code::NoShell => {
            "type and read instead (terminal__send with read), or create a session with bash, zsh or fish"
        }
        Code::Busy => "another of your calls types there: let it end, then call again",
        Code::NoInput => "give text, key, mouse or steps",
        Code::LabelNotFound => {
            "look at the screen (terminal__read), and give the label exactly as it stands there"
        }
        Code::MouseOff => "use keys instead",
        Code::IoError | Code::PtyError if fault.hint.is_none() => {
            "call once more; if it fails again, make another session, and tell the person"
        }
        Code::SessionError if fault.hint.is_none() => {
            "ask how it is (terminal__get_info), or make another session"
        }
        _ => return fault,
    };
    fault.hint = Some(hint.to_owned());
    fault
}
