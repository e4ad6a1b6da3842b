//! The shell integration: it makes shells mark their prompts and commands, without changing the user's files.

mod bash;
mod fish;
pub(crate) mod gate;
mod hook;
mod mark;
mod trust;
pub(crate) mod words;
mod zsh;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use cotty_pty::facts;
use rustix::process::Pid;

pub(crate) use hook::Hook;
pub(crate) use mark::{AskedLine, ERASED, Question, ShellMark, read_erased_mark, read_mark};
pub(crate) use trust::Doubts;

/// A shell that we have an integration for. Each has its folder.
struct Shell {
    name: &'static str,
    /// The files that it reads at its start: their names in our folder, and their contents.
    files: &'static [(&'static str, &'static str)],
    /// Changes arguments and environment so that the shell reads the files.
    start: fn(&mut Start<'_>) -> Option<()>,
    /// An argument that only a shell started by us has. Needed if the shell unsets our variables too late.
    argument: Option<&'static str>,
}

/// How a shell is started.
struct Start<'a> {
    dir: &'a Path,
    /// The shell's environment without our variables.
    env: &'a BTreeMap<String, String>,
    args: Vec<String>,
    /// The variables that are added.
    added: BTreeMap<String, String>,
}

impl Start<'_> {
    /// The path of one of our files; `None` if it is not UTF-8.
    fn file(&self, name: &str) -> Option<String> {
        self.dir.join(name).to_str().map(str::to_owned)
    }
}

/// All shells that we have an integration for.
static SHELLS: &[&Shell] = &[&bash::BASH, &zsh::ZSH, &fish::FISH];

/// Other shells.
const OTHERS: &[&str] = &["sh", "dash", "ksh", "mksh"];

/// Arguments with which a shell is still interactive and reads the user's files.
const ORDINARY: &[&str] = &["-i", "-l", "-il", "-li", "--login", "--interactive"];

fn name_of(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn shell_of(program: &str) -> Option<&'static Shell> {
    SHELLS.iter().copied().find(|shell| shell.name == name_of(program))
}

/// Whether a program is an interactive shell, so that callers wait for its prompt.
pub(crate) fn is_interactive_shell(program: &str, args: &[String]) -> bool {
    let shell = shell_of(program).is_some() || OTHERS.contains(&name_of(program));
    // With a script or `-c` it is not interactive.
    let runs_something =
        |arg: &String| !arg.starts_with('-') || (!arg.starts_with("--") && arg.contains('c'));
    shell && !args.iter().any(runs_something)
}

/// The installed files of the shell integration.
#[derive(Debug, Clone)]
pub(crate) struct Integration {
    dir: PathBuf,
}

/// The arguments and variables that make a shell mark its commands.
#[derive(Debug)]
pub(crate) struct Marking {
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
}

impl Integration {
    /// The integration whose files are in this directory.
    pub(crate) fn at(dir: PathBuf) -> Integration {
        Integration { dir }
    }

    /// Writes the files that the shells read at their start, unless they are there.
    pub(crate) fn install(&self) -> io::Result<()> {
        for (name, text) in SHELLS.iter().flat_map(|shell| shell.files) {
            let path = self.dir.join(name);
            if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
                continue;
            }
            // Write a new file and rename it: a shell may be reading the old file at this moment.
            std::fs::create_dir_all(path.parent().unwrap_or(&self.dir))?;
            let fresh = self.dir.join(format!("{name}.{}", std::process::id()));
            std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, path)).inspect_err(|_| {
                let _ = std::fs::remove_file(&fresh);
            })?;
        }
        Ok(())
    }

    /// How to start `program` so that it marks its commands. `None` if it is no shell that we know, or if its arguments make
    /// it non-interactive or make it skip its files. `history` is a file; the history of an agent's commands is next to it.
    pub(crate) fn marking(
        &self,
        program: &str,
        args: &[String],
        env: &BTreeMap<String, String>,
        hook: &Path,
        history: Option<&Path>,
    ) -> Option<Marking> {
        let shell = shell_of(program)?;
        if !args.iter().all(|arg| ORDINARY.contains(&arg.as_str())) {
            return None;
        }
        let added = BTreeMap::from([("COTTY_HOOK".to_owned(), hook.to_str()?.to_owned())]);
        let mut start = Start { dir: &self.dir, env, args: args.to_vec(), added };
        if let Some(history) = history {
            let file = history.with_file_name(format!("{}_history", shell.name));
            start.added.insert("COTTY_HISTFILE".to_owned(), file.to_str()?.to_owned());
        }
        (shell.start)(&mut start)?;
        Some(Marking { args: start.args, env: start.added })
    }
}

/// Whether the shell with our integration has become another program, or a shell without it (`exec zsh`). Our shells unset
/// the variable with the path of their session's hook before they run code of the user, so other programs do not inherit it. A
/// shell that unsets it later is recognised by its argument.
pub(crate) fn was_replaced(program: &str, pid: Pid, session: &str) -> bool {
    let argument = shell_of(program).and_then(|shell| shell.argument);
    let names_hook = |variable: &str| variable.starts_with("COTTY_HOOK=") && variable.ends_with(session);
    let ours = || facts::started_with(pid, "environ").is_none_or(|env| env.split('\0').any(names_hook));
    // A process that is about to exec its program, or that has ended unnoticed, has neither environment nor command line.
    let line = || facts::started_with(pid, "cmdline").filter(|line| !line.is_empty());
    match ours() {
        true => argument.is_some_and(|ours| line().is_some_and(|line| !line.contains(ours))),
        // Check again: exec may have happened between the two reads.
        false => line().is_some() && !ours(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marking(program: &str, args: &[&str], env: &[(&str, &str)], history: Option<&str>) -> Option<Marking> {
        let integration = Integration { dir: "/run/it's".into() };
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        integration.marking(program, &args, &env, Path::new("/run/hook"), history.map(Path::new))
    }

    #[test]
    fn each_shell_gets_its_own_arguments_and_variables() {
        let bash = marking("/bin/bash", &["-l"], &[], Some("/state/bash_history")).unwrap();
        assert_eq!(bash.args, ["--rcfile", "/run/it's/bash.rc", "-i"]);
        assert_eq!((&*bash.env["COTTY_LOGIN"], &*bash.env["COTTY_HISTFILE"]), ("1", "/state/bash_history"));
        let zsh = marking("zsh", &["-l"], &[("ZDOTDIR", "/home/dots")], Some("/state/bash_history")).unwrap();
        assert_eq!(zsh.args, ["-l"]);
        assert_eq!((&*zsh.env["ZDOTDIR"], &*zsh.env["COTTY_ZDOTDIR"]), ("/run/it's/zsh", "/home/dots"));
        assert_eq!(zsh.env["COTTY_HISTFILE"], "/state/zsh_history");
        let fish = marking("/usr/bin/fish", &[], &[], None).unwrap();
        assert_eq!(fish.args, ["--init-command", r"source '/run/it\'s/cotty.fish'"]);
        assert!(!fish.env.contains_key("COTTY_HISTFILE") && !fish.env.contains_key("COTTY_LOGIN"));
    }

    #[test]
    fn a_shell_that_skips_its_files_or_runs_a_script_gets_no_integration() {
        for (program, args) in [
            ("bash", &["--norc"][..]),
            ("bash", &["-c", "true"]),
            ("zsh", &["-f"]),
            ("zsh", &["script"]),
            ("fish", &["--no-config"]),
            ("dash", &[]),
        ] {
            assert!(marking(program, args, &[], None).is_none(), "{program} {args:?}");
        }
    }

    #[test]
    fn a_program_without_the_path_of_its_hook_counts_as_replaced() {
        let pid = rustix::process::getpid();
        assert!(was_replaced("bash", pid, "no process was started with this"));
    }
}
