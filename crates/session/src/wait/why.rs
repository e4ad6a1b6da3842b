//! Why a wait timed out, in words to act on.

use super::Conditions;
use crate::Activity;

/// What there was when the time was up.
pub(crate) struct Situation<'a> {
    pub(crate) activity: Activity,
    /// Whether a full-screen program is shown.
    pub(crate) alt_screen: bool,
    pub(crate) screen: &'a str,
    /// The person who has the keyboard.
    pub(crate) holder: Option<&'a str>,
}

/// Why nothing that was waited for came.
pub(crate) fn why_not(wait: &Conditions, seen: &Situation<'_>) -> String {
    let doing = match &seen.activity {
        Activity::Prompt => "the shell waits for a command".to_owned(),
        Activity::Running { program } => format!("{} is still running", named(program.as_deref())),
        Activity::WaitingForInput { program } if seen.alt_screen => {
            format!("{} is shown on the whole screen and waits for keys", named(program.as_deref()))
        }
        Activity::WaitingForInput { program } => {
            format!("{} is still running and waits for input", named(program.as_deref()))
        }
        Activity::Pager { program } => {
            format!("`{program}` shows its text page by page: space goes on, q leaves it")
        }
        Activity::Editor { program } => format!("`{program}`, an editor, is open"),
        Activity::SecretInput => "the program asks for a secret".to_owned(),
        Activity::SecretSuspected => "what is shown looks like a question for a secret".to_owned(),
        Activity::Exited => "the program has ended".to_owned(),
    };
    let doing = match seen.holder {
        Some(name) => format!("{doing}; a person has the keyboard ({name})"),
        None => doing,
    };
    let for_text = wait.text.is_some() || wait.regex.is_some();
    let on_screen = wait.text.as_ref().is_some_and(|needle| seen.screen.contains(needle));
    match (for_text, on_screen) {
        (true, true) => {
            format!("it stands on the screen, but only in what was typed or there before; {doing}")
        }
        (true, false) => format!("it did not appear; {doing}"),
        _ => doing,
    }
}

fn named(program: Option<&str>) -> String {
    program.map_or_else(|| "a program".to_owned(), |program| format!("`{program}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_program_does_and_who_has_the_keyboard() {
        let program = || Some("make".to_owned());
        for (activity, alt_screen, holder, why) in [
            (Activity::Prompt, false, None, "the shell waits for a command"),
            (Activity::Running { program: program() }, false, None, "`make` is still running"),
            (Activity::Running { program: None }, false, None, "a program is still running"),
            (
                Activity::WaitingForInput { program: program() },
                true,
                None,
                "`make` is shown on the whole screen and waits for keys",
            ),
            (
                Activity::WaitingForInput { program: program() },
                false,
                Some("ann"),
                "`make` is still running and waits for input; a person has the keyboard (ann)",
            ),
        ] {
            let seen = Situation { activity, alt_screen, screen: "", holder };
            assert_eq!(why_not(&Conditions::default(), &seen), why);
        }
    }

    #[test]
    fn a_text_that_only_the_typed_line_shows_did_not_appear() {
        let wait = Conditions { text: Some("done".into()), ..Conditions::default() };
        let seen = |screen| Situation { activity: Activity::Prompt, alt_screen: false, screen, holder: None };
        assert_eq!(why_not(&wait, &seen("$ make")), "it did not appear; the shell waits for a command");
        let typed = why_not(&wait, &seen("$ echo done"));
        assert!(typed.starts_with("it stands on the screen, but only in what was typed"), "{typed}");
    }
}
