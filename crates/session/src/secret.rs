//! What a question for a secret looks like, where the kernel cannot tell: the terminal that asks is inside another.

use std::sync::LazyLock;

use regex::Regex;

/// The end of a line at which somebody is asked for a secret.
static QUESTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words =
        r"pass(word|phrase|code)?|secret|\bpin\b|\botp\b|one-time|verification code|api[ _-]?key|token";
    Regex::new(&format!(r"(?i)({words})[^:?？：]*[:?？：]\s*$")).ok()
});

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

/// Whether a line, up to the cursor, asks for a secret.
pub(crate) fn looks_like_question(line: &str) -> bool {
    QUESTION.as_ref().is_some_and(|question| question.is_match(line))
}

/// Whether a program shows another terminal.
pub(crate) fn has_a_terminal_inside(program: &str) -> bool {
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
