//! A child's environment: that of the calling process, without secrets and without variables that describe an outer
//! terminal, plus variables that describe ours.

use std::collections::BTreeMap;

use crate::{ActorKind, TerminalOptions};

/// Variables that are removed: those with these names, with a name that contains or ends with one of these parts, and those
/// whose value is a URL with a password in it.
const SECRET_NAMES: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "AWS_ACCESS_KEY_ID",
    "DATABASE_URL",
    "NETRC",
    "PGPASS",
    "PGPASSFILE",
];
const SECRET_PARTS: &[&str] = &[
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "TOKEN",
    "API_KEY",
    "APIKEY",
    "PRIVATE_KEY",
    "COOKIE",
    "WEBHOOK",
];
const SECRET_ENDINGS: &[&str] =
    &["_KEY", "_KEYS", "_AUTH", "_PASS", "_PWD", "_DSN", "_PAT", "_CONNECTION_STRING", "_DATABASE_URL"];

/// Variables that describe the terminal of the calling process, not ours.
const OUTER_TERMINAL: &[&str] = &[
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOW",
    "WINDOWID",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TERMCAP",
    "VTE_VERSION",
    "COLUMNS",
    "LINES",
    "KITTY_WINDOW_ID",
    "KITTY_PID",
    "WEZTERM_PANE",
    "ALACRITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "INSIDE_EMACS",
    "COTTY_SESSION",
    "COTTY_NONCE",
    "COTTY_HOOK",
    "COTTY_HISTFILE",
    "COTTY_LOGIN",
    "COTTY_ZDOTDIR",
];

/// The child's environment: `origin` filtered, ours added, `extra` on top. A person's own session keeps secrets.
pub(crate) fn child_environment(
    maker: ActorKind,
    origin: &BTreeMap<String, String>,
    session: &str,
    terminal: &TerminalOptions,
    extra: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let passed = |name: &str| {
        let is_named = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        terminal.pass_env.iter().any(is_named)
    };
    let kept = |name: &str, value: &str| {
        (maker == ActorKind::Person || !(is_secret(name) || has_password(value)) || passed(name))
            && !OUTER_TERMINAL.contains(&name)
    };
    let mut env: BTreeMap<String, String> =
        origin.iter().filter(|(n, v)| kept(n, v)).map(|(n, v)| (n.clone(), v.clone())).collect();
    env.insert("TERM".into(), terminal.term.clone());
    env.insert("COLORTERM".into(), "truecolor".into());
    env.insert("COTTY_SESSION".into(), session.into());
    env.entry("PATH".into()).or_insert_with(|| "/usr/local/bin:/usr/bin:/bin".into());
    if !has_utf8_locale(&env) {
        env.remove("LC_ALL");
        env.insert("LC_CTYPE".into(), "C.UTF-8".into());
    }
    env.extend(extra.iter().map(|(n, v)| (n.clone(), v.clone())));
    env
}

fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_NAMES.contains(&upper.as_str())
        || SECRET_PARTS.iter().any(|part| upper.contains(part))
        || SECRET_ENDINGS.iter().any(|ending| upper.ends_with(ending))
}

/// Whether a value contains a URL with a password: `postgres://me:secret@host`.
fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.and_then(|user| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
    })
}

fn has_utf8_locale(env: &BTreeMap<String, String>) -> bool {
    // The first of these that is set decides, as in the C library.
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.get(*name).filter(|v| !v.is_empty()));
    locale.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    // R-T10
    #[test]
    fn secrets_and_variables_of_an_outer_terminal_are_removed() {
        let origin = map(&[
            ("HOME", "/home/a"),
            ("GITHUB_TOKEN", "x"),
            ("my_db_password", "x"),
            ("STRIPE_API_KEY", "x"),
            ("SSH_AUTH_SOCK", "x"),
            ("TMUX", "x"),
            ("COLUMNS", "200"),
            ("LANG", "de_DE.UTF-8"),
        ]);
        let extra = map(&[("GITHUB_TOKEN", "given on purpose")]);
        let env = child_environment(ActorKind::Agent, &origin, "sess_a", &TerminalOptions::default(), &extra);
        assert_eq!(env["HOME"], "/home/a");
        assert_eq!(env["GITHUB_TOKEN"], "given on purpose");
        assert_eq!(env["TERM"], "xterm-256color");
        assert_eq!(env["COTTY_SESSION"], "sess_a");
        assert!(!env.contains_key("LC_CTYPE"));
        for gone in ["my_db_password", "STRIPE_API_KEY", "SSH_AUTH_SOCK", "TMUX", "COLUMNS"] {
            assert!(!env.contains_key(gone), "{gone}");
        }
        let own =
            child_environment(ActorKind::Person, &origin, "sess_a", &TerminalOptions::default(), &map(&[]));
        assert!(
            own.contains_key("GITHUB_TOKEN") && own.contains_key("SSH_AUTH_SOCK"),
            "a person's own session"
        );
        assert!(!own.contains_key("TMUX"));
    }

    #[test]
    fn secrets_are_recognised_by_name_and_by_value() {
        let secret = [
            "DATABASE_URL",
            "AWS_ACCESS_KEY_ID",
            "MYSQL_PWD",
            "PGPASS",
            "PGPASSWORD",
            "GPG_PASSPHRASE",
            "FLY_KEY",
            "NPM_AUTH",
            "SLACK_WEBHOOK",
            "SESSION_COOKIE",
            "SENTRY_DSN",
            "GH_PAT",
            "SMTP_PASS",
            "SSH_KEYS",
        ];
        for name in secret {
            assert!(is_secret(name), "{name}");
        }
        let plain = [
            "PWD",
            "OLDPWD",
            "HOTKEY",
            "XAUTHORITY",
            "SSH_ASKPASS",
            "GIT_ASKPASS",
            "KEYMAP",
            "PATH",
            "EDITOR",
        ];
        for name in plain {
            assert!(!is_secret(name), "{name}");
        }
        assert!(has_password("postgres://me:secret@host/db") && has_password("http_proxy=http://a:b@c"));
        assert!(
            !has_password("https://host:8080/a@b")
                && !has_password("ssh://git@host")
                && !has_password("a:b@c")
        );
    }

    #[test]
    fn pass_env_keeps_secrets_but_not_variables_of_an_outer_terminal() {
        let origin =
            map(&[("SSH_AUTH_SOCK", "/s"), ("AWS_SESSION_TOKEN", "t"), ("GITHUB_TOKEN", "g"), ("TMUX", "x")]);
        let pass_env = ["SSH_AUTH_SOCK", "AWS_*", "TMUX"].map(str::to_owned).to_vec();
        let options = TerminalOptions { pass_env, term: "vt100".into(), ..TerminalOptions::default() };
        let env = child_environment(ActorKind::Agent, &origin, "s", &options, &map(&[]));
        assert_eq!((env["SSH_AUTH_SOCK"].as_str(), env["AWS_SESSION_TOKEN"].as_str()), ("/s", "t"));
        assert_eq!(env["TERM"], "vt100");
        assert!(!env.contains_key("GITHUB_TOKEN") && !env.contains_key("TMUX"));
    }

    #[test]
    fn a_locale_without_utf8_is_replaced() {
        let origin = map(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]);
        let env = child_environment(ActorKind::Agent, &origin, "s", &TerminalOptions::default(), &map(&[]));
        assert_eq!(env.get("LC_CTYPE").map(String::as_str), Some("C.UTF-8"));
        assert!(!env.contains_key("LC_ALL"));
    }
}
