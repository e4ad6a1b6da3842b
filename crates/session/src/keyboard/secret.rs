//! What a question for a secret looks like where the kernel cannot tell: in a nested terminal, or in a program that reads keys
//! itself and shows a mask character for each.

/// Words for secrets. Not a regular expression, because this is checked for every prompt of every session.
const WORDS: &[&str] = &[
    "password",
    "passphrase",
    "passcode",
    "pass",
    "secret",
    "pin",
    "otp",
    "one-time",
    "verification code",
    "api key",
    "api-key",
    "api_key",
    "token",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "wachtwoord",
    "пароль",
    "パスワード",
    "密码",
    "密碼",
];

/// What a question ends with.
const MARKS: [char; 4] = [':', '?', '：', '？'];
/// The same, before mask characters only: a command line ends so, too.
const ARROWS: [char; 3] = ['>', '›', '❯'];
/// What programs show instead of a typed character.
const MASKS: [char; 8] = ['*', '•', '●', '∙', '▪', '■', '✱', '＊'];
/// How dialogs, such as those of inquirer, begin a question, which then needs no mark at its end.
const DIALOG: &str = "? ";

/// Programs with a nested terminal, whose line discipline we cannot see.
const INSIDE: &[&str] = &[
    "ssh",
    "mosh-client",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "machinectl",
    "nsenter",
    "tmux",
    "tmux: client",
    "screen",
    "zellij",
    "telnet",
    "minicom",
    "picocom",
    "adb",
    "vagrant",
    "multipass",
    "script",
    "expect",
    "su",
    "sudo",
    "cotty",
];

/// What a line says about a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It asks for one; what was typed, if anything, is not shown. Or it only looks so, and typed text will be shown.
    Perhaps,
    /// It asks for one, and shows mask characters for what was typed.
    Surely,
}

/// Whether a line, up to the cursor, asks for a secret in a program that reads keys itself.
pub(crate) fn asked_on(line: &str) -> Option<Asked> {
    let line = without_hint(line.trim_end());
    let mask = line.chars().next_back().filter(|last| MASKS.contains(last));
    match mask {
        None => looks_like_question(line).then_some(Asked::Perhaps),
        Some(mask) => {
            let question = without_hint(line.trim_end_matches(mask).trim_end());
            let asked = question.strip_suffix(ARROWS).is_some_and(|asked| names_secret(last_question(asked)));
            let dialog = question.trim_start().starts_with(DIALOG) && names_secret(last_question(question));
            (asked || dialog || looks_like_question(question)).then_some(Asked::Surely)
        }
    }
}

/// Without what some dialogs say instead of a mask: `[hidden]`, `[input is masked]`.
fn without_hint(line: &str) -> &str {
    let hint = line.rfind('[').filter(|_| line.ends_with(']'));
    match hint {
        Some(at) if ["hidden", "masked"].iter().any(|word| has_word(&line[at..], word)) => {
            line[..at].trim_end()
        }
        _ => line,
    }
}

/// Whether a line, up to the cursor, asks for a secret: it has such a word, and no other question after it.
fn looks_like_question(line: &str) -> bool {
    let line = line.trim_end();
    match line.strip_suffix(MARKS) {
        Some(asked) => names_secret(last_question(asked)),
        // After more text it would be an answer.
        None => {
            let asked = last_question(line).to_lowercase();
            line.trim_start().starts_with(DIALOG) && WORDS.iter().any(|word| ends_with_word(&asked, word))
        }
    }
}

fn last_question(line: &str) -> &str {
    line.rsplit(MARKS).next().unwrap_or_default()
}

fn names_secret(text: &str) -> bool {
    let text = text.to_lowercase();
    WORDS.iter().any(|word| has_word(&text, word))
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|before| !before.chars().next_back().is_some_and(char::is_alphanumeric))
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Whether a program may ask for a secret on the alternate screen: inside a nested terminal, or in a dialog of gpg. In others, such
/// as an editor, a line of the screen is a line of a text.
pub(crate) fn may_ask_on_alternate_screen(program: &str) -> bool {
    has_a_terminal_inside(program) || program.starts_with("pinentry") || program.starts_with("gpg")
}

/// Whether a program has a nested terminal.
pub fn has_a_terminal_inside(program: &str) -> bool {
    INSIDE.contains(&program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_distinguished_from_text_about_secrets() {
        for question in [
            "root@host's password: ",
            "Enter passphrase for key '/home/a/.ssh/id_ed25519': ",
            "[sudo] password for a: ",
            "Password:",
            "PIN: ",
            "Verification code: ",
            "Enter your API key: ",
            "パスワード password： ",
            "Kennwort: ",
            // inquirer, without a mask
            "? Enter password ",
            "? Password: [hidden]",
            "? Password [input is masked] ",
        ] {
            assert_eq!(asked_on(question), Some(Asked::Perhaps), "{question}");
        }
        for text in [
            "$ ",
            "the password was changed",
            "password: hunter2 was refused",
            "Token: abc",
            "? Enter password hunter2",
            "? Token name ",
            "user@host:~/passwords$ ",
            "login: ",
            "spinning: ",
            "Search: ",
            "/password",
            "password> ",
        ] {
            assert_eq!(asked_on(text), None, "{text}");
        }
    }

    #[test]
    fn mask_characters_after_a_question_are_a_secret() {
        for masked in [
            "[sudo] password for a: ***", // sudo with pwfeedback
            "Password: ****",             // getpass of Python with echo_char
            "Password: ●●",               // read --silent of fish
            "? Password: ****",           // inquirer
            "? Enter password ****",
            "? Password › ***",   // prompts
            "Password > •••",     // gum
            "│ Passphrase: ****", // pinentry-curses
            "Enter PIN:*",
        ] {
            assert_eq!(asked_on(masked), Some(Asked::Surely), "{masked}");
        }
        for text in ["$ ls *", "rm *", "password: *x*", "Rating: ****", "Password: **● ", "5 passes *"] {
            assert_eq!(asked_on(text), None, "{text}");
        }
    }
}
