//! Shells that mark their prompts and commands, without touching the user's files.

mod hook;
mod mark;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use hook::Hook;
pub(crate) use mark::{AskedLine, ShellMark, read_mark};

const BASH_RC: &str = include_str!("bash.rc");

/// Whether a program is a shell that will ask for commands, so that one waits for its prompt.
pub(crate) fn is_interactive_shell(program: &str, args: &[String]) -> bool {
    let name = Path::new(program).file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let shell = matches!(name, "bash" | "zsh" | "fish" | "sh" | "dash" | "ksh" | "mksh");
    // A script or `-c` makes it a program like any other.
    let runs_something =
        |arg: &String| !arg.starts_with('-') || (!arg.starts_with("--") && arg.contains('c'));
    shell && !args.iter().any(runs_something)
}

/// Where the marks' own files lie.
#[derive(Debug, Clone)]
pub(crate) struct Integration {
    dir: PathBuf,
}

/// What makes a shell mark its commands.
#[derive(Debug)]
pub(crate) struct Marking {
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
}

impl Integration {
    /// Writes the files that the shells read at their start.
    pub(crate) fn install(dir: &Path) -> io::Result<Integration> {
        std::fs::create_dir_all(dir)?;
        // Written beside and moved over: a shell may be starting from the old file at this moment.
        let fresh = dir.join(format!("bash.rc.{}", std::process::id()));
        std::fs::write(&fresh, BASH_RC)?;
        std::fs::rename(&fresh, dir.join("bash.rc"))?;
        Ok(Integration { dir: dir.to_owned() })
    }

    /// How to start `program` so that it marks; `None` where it cannot, or the arguments say that it is no
    /// interactive shell.
    pub(crate) fn marking(
        &self,
        program: &str,
        args: &[String],
        nonce: &str,
        hook: &Path,
    ) -> Option<Marking> {
        let name = Path::new(program).file_name()?.to_str()?;
        let interactive = args.iter().all(|arg| arg == "-i");
        if name != "bash" || !interactive {
            return None;
        }
        let rc = self.dir.join("bash.rc");
        let args = ["--rcfile".to_owned(), rc.to_str()?.to_owned(), "-i".to_owned()];
        let env = [
            ("COTTY_NONCE".to_owned(), nonce.to_owned()),
            ("COTTY_HOOK".to_owned(), hook.to_str()?.to_owned()),
        ];
        Some(Marking { args: args.into(), env: env.into() })
    }
}
