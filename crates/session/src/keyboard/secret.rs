//! What a question for a secret looks like, where the kernel cannot tell: the terminal that asks is inside another.

/// What is asked for. No pattern: this is looked at for every prompt, in every session.
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

/// Programs with a terminal of their own inside, whose line discipline we do not see.
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

/// Whether a line, up to the cursor, asks for a secret: the word, and no other question behind it.
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

/// Whether a program shows another terminal.
pub fn has_a_terminal_inside(program: &str) -> bool {
    INSIDE.contains(&program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_talk_about_secrets() {
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
        for talk in [
            "$ ",
            "the password was changed",
            "password: hunter2 was refused",
            "user@host:~/passwords$ ",
            "login: ",
            "spinning: ",
        ] {
            assert!(!looks_like_question(talk), "{talk}");
        }
    }
}
