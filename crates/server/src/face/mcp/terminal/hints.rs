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
        Code::NotAtPrompt => not_at_prompt(&fault.message),
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

/// How to come to the prompt, by what is there instead: what holds already, or does not help there, is not advised.
fn not_at_prompt(message: &str) -> &'static str {
    let told = |what: &str| message.ends_with(what);
    if told("waits for the rest") {
        "finish it (terminal__send), or drop it (terminal__send key \"ctrl+c\")"
    } else if told("on the command line") {
        "clear it (terminal__send key \"ctrl+u\"), or run it (terminal__send key \"enter\")"
    } else if told("waits for input") {
        "type into it (terminal__send), or leave it first (terminal__send: a shell or an interpreter with text \"exit\\n\" or key \"ctrl+d\", most others with key \"ctrl+c\")"
    } else if told("shows a page") {
        "leave it first (terminal__send key \"q\")"
    } else if told("an editor") {
        "leave it first, with its own command (terminal__send)"
    } else if told("terminals of its own") {
        "type into it (terminal__send) and look (terminal__read), or leave it first (terminal__send text \"exit\\n\")"
    } else {
        "wait for the prompt (terminal__wait with prompt true), or interrupt the program (terminal__send key \"ctrl+c\")"
    }
}

#[cfg(test)]
mod tests {
    use cotty_session::{Activity, SessionError};

    use super::*;
    use crate::ops::fault;

    #[test]
    fn what_stands_in_the_way_of_the_prompt_says_how_it_is_left() {
        let program = || Some("it".to_owned());
        let hint = |error| ours(fault(error)).hint.unwrap();
        let at = |activity| hint(SessionError::NotAtPrompt { activity, soon: std::time::Duration::ZERO });
        for (hint, wanted) in [
            (hint(SessionError::LineBegun { entered: false }), "ctrl+u"),
            (hint(SessionError::LineBegun { entered: true }), "drop it (terminal__send key \"ctrl+c\")"),
            (at(Activity::WaitingForInput(program())), "exit"),
            (at(Activity::Pager("less".to_owned())), "\"q\""),
            (at(Activity::Editor("vim".to_owned())), "its own command"),
            (at(Activity::Running(Some("tmux".to_owned()))), "look (terminal__read)"),
            (at(Activity::Running(program())), "terminal__wait with prompt"),
            (at(Activity::Running(None)), "terminal__wait with prompt"),
        ] {
            assert!(hint.contains(wanted), "{wanted}: {hint}");
            // It would be met at once by what looks like a prompt.
            assert_eq!(hint.contains("terminal__wait"), wanted.contains("terminal__wait"), "{hint}");
        }
    }
}
