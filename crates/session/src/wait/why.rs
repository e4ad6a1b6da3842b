//! Explains why a wait timed out, so that the caller can act on it.

use super::Conditions;
use crate::Activity;

/// The state of a session when a wait timed out.
pub(crate) struct Situation<'a> {
    pub(crate) activity: Activity,
    /// Whether a full-screen program is shown.
    pub(crate) alt_screen: bool,
    pub(crate) screen: &'a str,
    /// The person who has the keyboard.
    pub(crate) holder: Option<&'a str>,
}

/// Why none of the conditions of a wait was met.
pub(crate) fn why_not(wait: &Conditions, seen: &Situation<'_>) -> String {
    let doing = match &seen.activity {
        Activity::Prompt => "the shell waits for a command".to_owned(),
        Activity::Running { program } => format!("{} is still running", named(program.as_deref())),
        Activity::WaitingForInput { program } if seen.alt_screen => {
            format!("{} uses the full screen and waits for keys", named(program.as_deref()))
        }
        Activity::WaitingForInput { program } => {
            format!("{} is still running and waits for input", named(program.as_deref()))
        }
        Activity::Pager { program } => {
            format!("`{program}` is a pager: space shows the next page, q quits")
        }
        Activity::Editor { program } => format!("the editor `{program}` is open"),
        Activity::SecretInput => "the program asks for a secret".to_owned(),
        Activity::SecretSuspected => "the program seems to ask for a secret".to_owned(),
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
            format!("the text is on the screen, but only as typed input or older output; {doing}")
        }
        (true, false) => format!("text not found; {doing}"),
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
    fn the_reason_names_the_program_and_the_keyboards_holder() {
        let program = || Some("make".to_owned());
        for (activity, alt_screen, holder, why) in [
            (Activity::Prompt, false, None, "the shell waits for a command"),
            (Activity::Running { program: program() }, false, None, "`make` is still running"),
            (Activity::Running { program: None }, false, None, "a program is still running"),
            (
                Activity::WaitingForInput { program: program() },
                true,
                None,
                "`make` uses the full screen and waits for keys",
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
    fn the_reason_says_whether_the_text_is_only_typed_input() {
        let wait = Conditions { text: Some("done".into()), ..Conditions::default() };
        let seen = |screen| Situation { activity: Activity::Prompt, alt_screen: false, screen, holder: None };
        assert_eq!(why_not(&wait, &seen("$ make")), "text not found; the shell waits for a command");
        let typed = why_not(&wait, &seen("$ echo done"));
        assert!(typed.starts_with("the text is on the screen, but only as typed input"), "{typed}");
    }
}
