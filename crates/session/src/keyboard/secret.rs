//! What a question for a secret looks like in a nested terminal, where the kernel cannot tell.

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
];

/// What a question ends with.
const MARKS: [char; 4] = [':', '?', '：', '？'];

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

/// Whether a line, up to the cursor, asks for a secret: it has such a word, and no other question after it.
pub(crate) fn looks_like_question(line: &str) -> bool {
    let line = line.trim_end();
    let Some(asked) = line.strip_suffix(MARKS) else { return false };
    let asked = asked.rsplit(MARKS).next().unwrap_or_default().to_lowercase();
    WORDS.iter().any(|word| has_word(&asked, word))
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
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
        ] {
            assert!(looks_like_question(question), "{question}");
        }
        for text in [
            "$ ",
            "the password was changed",
            "password: hunter2 was refused",
            "user@host:~/passwords$ ",
            "login: ",
            "spinning: ",
        ] {
            assert!(!looks_like_question(text), "{text}");
        }
    }
}
