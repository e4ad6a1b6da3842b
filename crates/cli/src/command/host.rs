//! `cotty --host USER@BOX …`: runs the same command with the cotty on another machine.
//!
//! The command runs on the remote machine; no socket is forwarded. So the remote client sends the environment and directory
//! of its machine, has the same version as its daemon, and starts the daemon if none runs. This process only quotes the
//! arguments and becomes ssh: stdin, stdout, signals and exit code are those of the remote command.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use super::{in_terminal, terminal_size};

/// Finds cotty on the remote machine, even if a non-interactive shell has a short PATH, and runs it. `$0` is its name.
const THERE: &str = r#"for cotty in "$0" "$HOME/.local/bin/$0" "$HOME/.cargo/bin/$0" /usr/local/bin/"$0"; do
command -v "$cotty" >/dev/null 2>&1 && exec "$cotty" "$@"
done
echo "cotty: there is no $0 on $(uname -n)" >&2
echo "       install it there, or set its path: COTTY_THERE=/path/to/cotty" >&2
exit 127"#;

pub(crate) fn run(host: &str) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !host.is_empty() && !host.starts_with('-'),
        "`{host}` is not a host: must be user@box or a name from ~/.ssh/config"
    );
    let words = std::env::args_os().skip(1).map(|word| word.into_string());
    let words: Result<Vec<String>, _> = words.collect();
    let words = words.map_err(|word| anyhow::anyhow!("{} is not UTF-8", word.to_string_lossy()))?;
    let mut words = without_host(words);
    if needs_size(&words)
        && let Some((cols, rows)) = terminal_size()
    {
        let size = ["--cols".to_owned(), cols.to_string(), "--rows".to_owned(), rows.to_string()];
        words.splice(1..1, size);
    }
    let there = std::env::var("COTTY_THERE").ok().filter(|path| !path.is_empty());
    let there = there.unwrap_or_else(|| "cotty".to_owned());
    let ssh = std::env::var("COTTY_SSH").ok().filter(|ssh| !ssh.trim().is_empty());
    let ssh = ssh.unwrap_or_else(|| "ssh".to_owned());
    let mut ssh_words = ssh.split_whitespace();
    let program = ssh_words.next().unwrap_or("ssh");
    let mut command = Command::new(program);
    command.args(ssh_words);
    if needs_terminal(&words) && in_terminal() {
        command.arg("-t");
    }
    command.arg(host).arg(remote(&there, &words));
    Err(command.exec()).with_context(|| format!("cannot run `{program}`; COTTY_SSH names another program"))
}

/// The arguments without `--host`, which is always first.
fn without_host(words: Vec<String>) -> Vec<String> {
    let joined = words.first().is_some_and(|word| word.starts_with("--host="));
    words.into_iter().skip(if joined { 1 } else { 2 }).collect()
}

/// Whether the remote command needs a terminal: because it is interactive, or so that Ctrl-C reaches it.
fn needs_terminal(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["attach" | "tui" | "run" | "wait", ..] | ["config", "edit", ..] => true,
        ["view", rest @ ..] => rest.contains(&"--watch") || rest.contains(&"-w"),
        _ => false,
    }
}

/// Whether to pass this terminal's size on: `new` uses it, and the remote machine cannot know it.
fn needs_size(words: &[String]) -> bool {
    let mut own = words.iter().take_while(|word| *word != "--");
    let sized = own.any(|word| word.starts_with("--cols") || word.starts_with("--rows"));
    words.first().is_some_and(|word| word == "new") && !sized
}

/// The command line for the remote login shell, whichever it is. It starts `sh`, which runs the script.
fn remote(there: &str, words: &[String]) -> String {
    let words = ["sh", "-c", THERE, there].into_iter().chain(words.iter().map(String::as_str));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for any shell. Backslashes go outside the quotes, because fish interprets them inside.
fn quoted(word: &str) -> String {
    let mut text = String::from("'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => text.extend(["'\\", if c == '\'' { "'" } else { "\\" }, "'"]),
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn only_the_host_option_is_removed() {
        assert_eq!(without_host(words("--host a ls --json")), words("ls --json"));
        assert_eq!(without_host(words("--host=a send x --host=b")), words("send x --host=b"));
        assert_eq!(without_host(words("--host a")), words(""));
    }

    #[test]
    fn interactive_commands_get_a_terminal() {
        for yes in ["", "attach x", "view x --watch", "view -w x", "run -- x", "config edit"] {
            assert!(needs_terminal(&words(yes)), "{yes}");
        }
        for no in ["ls", "view x", "mcp", "new -- attach", "config show"] {
            assert!(!needs_terminal(&words(no)), "{no}");
        }
        assert!(needs_size(&words("new --name x -- tput --cols")));
        assert!(!needs_size(&words("new --cols=5")) && !needs_size(&words("run -- new")));
    }

    #[test]
    fn words_are_quoted_for_every_shell() {
        assert_eq!(quoted("a b$x"), "'a b$x'");
        assert_eq!(quoted(r"it's \ "), r"'it'\''s '\\' '");
        assert_eq!(quoted(""), "''");
    }
}
