//! The environment of the daemon and its keeper: what they need, and no secrets. It can be read for as long as they run.

use std::ffi::OsString;

/// Variables that they use or that sessions get which no process asks for. Settings are variables that begin with `COTTY_`.
const NEEDED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "PATH",
    "RUST_BACKTRACE",
    "SHELL",
    "TMPDIR",
    "TZ",
    "USER",
];
const BEGINNINGS: &[&str] = &["COTTY_", "LC_", "XDG_"];

fn is_needed(name: &str) -> bool {
    NEEDED.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// The variables that the daemon and its keeper get.
pub(crate) fn needed() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_needed))
}

/// Whether this process has other variables.
pub fn has_more_than_needed() -> bool {
    std::env::vars_os().count() > needed().count()
}

/// Starts this program again in this process, with the same arguments and only the variables that it needs. Returns only if
/// that fails.
pub fn start_again_with_needed() -> std::io::Error {
    use std::os::unix::process::CommandExt;
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    match std::env::current_exe() {
        Ok(program) => {
            std::process::Command::new(program).arg0(name).args(args).env_clear().envs(needed()).exec()
        }
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::is_needed;

    #[test]
    fn settings_and_places_are_kept_and_secrets_are_not() {
        for name in ["HOME", "PATH", "LC_ALL", "XDG_RUNTIME_DIR", "COTTY_HOME", "COTTY_AGENTS_ANSWER_SECRETS"]
        {
            assert!(is_needed(name), "{name}");
        }
        for name in ["GITHUB_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK", "EDITOR"] {
            assert!(!is_needed(name), "{name}");
        }
    }
}
