use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use cotty_client::keeper_pid;
use cotty_server::config::template;

use super::super::{block_on, client, manage};
use super::check;
use crate::{out, settings};

/// Open the configuration in your editor ($VISUAL, $EDITOR)
///
/// You edit a copy, which replaces the file only if it is valid. If there is no file yet, the copy has every key with its
/// built-in value in comments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty config edit\n  EDITOR='code --wait' cotty config edit")]
pub(crate) struct Args {}

enum Choice {
    Again,
    Keep,
    Drop,
}

pub(crate) fn run(_args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    block_on(manage::require_person(&client))?;
    let home = client.home();
    let path = home.config();
    let before = settings::read(path).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let dir = path.parent().context("a directory for the configuration")?;
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    let copy = dir.join(format!("config.edit-{}.toml", std::process::id()));
    std::fs::write(&copy, before.clone().unwrap_or_else(template))
        .with_context(|| copy.display().to_string())?;
    let edited = edit(&copy, path, before.as_deref().unwrap_or(&template()));
    // A rejected copy is kept under another name; any other copy is removed.
    match edited {
        Ok(Edited::Broken) => {
            let aside = dir.join("config.rejected.toml");
            std::fs::rename(&copy, &aside)?;
            out::note(&format!("{} is unchanged; your version is in {}", path.display(), aside.display()));
            Ok(ExitCode::FAILURE)
        }
        Ok(Edited::Dropped) => {
            std::fs::remove_file(&copy)?;
            out::note(&format!("{} is unchanged", path.display()));
            Ok(ExitCode::FAILURE)
        }
        Ok(Edited::Same) => {
            std::fs::remove_file(&copy)?;
            out::note("nothing was changed");
            Ok(ExitCode::SUCCESS)
        }
        Ok(Edited::Changed(text)) => {
            put(path, &text)?;
            std::fs::remove_file(&copy)?;
            let next = match keeper_pid(home) {
                Some(_) => "; `cotty restart` applies it and keeps every session",
                None => "",
            };
            out::note(&format!("{} was saved{next}", path.display()));
            Ok(ExitCode::SUCCESS)
        }
        Ok(Edited::Kept(text)) => {
            put(path, &text)?;
            std::fs::remove_file(&copy)?;
            out::note(&format!(
                "{} was saved but is NOT valid: a running daemon keeps the last valid configuration, a new one does not start",
                path.display()
            ));
            Ok(ExitCode::FAILURE)
        }
        Err(error) => {
            let _ = std::fs::remove_file(&copy);
            Err(error)
        }
    }
}

enum Edited {
    Same,
    Changed(String),
    /// Invalid, but the person keeps it.
    Kept(String),
    Dropped,
    /// Invalid, and there is no person to ask.
    Broken,
}

fn edit(copy: &Path, path: &Path, before: &str) -> anyhow::Result<Edited> {
    loop {
        open(copy)?;
        let text = settings::read(copy).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        let text = text.context("the editor deleted the file")?;
        if text == before {
            return Ok(Edited::Same);
        }
        let problems = check::problems(path, &text);
        if problems.is_empty() {
            return Ok(Edited::Changed(text));
        }
        check::say(&problems);
        match ask()? {
            Some(Choice::Again) => {}
            Some(Choice::Keep) => return Ok(Edited::Kept(text)),
            Some(Choice::Drop) => return Ok(Edited::Dropped),
            None => return Ok(Edited::Broken),
        }
    }
}

/// Opens the person's editor. The variable may contain arguments, which the shell splits.
fn open(file: &Path) -> anyhow::Result<()> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let status =
        Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file).status()?;
    anyhow::ensure!(status.success(), "the editor `{editor}` failed ({status}); nothing was changed");
    Ok(())
}

/// Asks what to do with an invalid file; `None` if stdin is not a terminal.
fn ask() -> anyhow::Result<Option<Choice>> {
    if !rustix::termios::isatty(rustix::stdio::stdin()) {
        return Ok(None);
    }
    loop {
        eprint!("e  edit again    d  drop your changes    k  keep it although it is invalid: ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        if std::io::stdin().lock().read_line(&mut answer)? == 0 {
            return Ok(None);
        }
        match answer.trim() {
            "e" | "" => return Ok(Some(Choice::Again)),
            "d" => return Ok(Some(Choice::Drop)),
            "k" => return Ok(Some(Choice::Keep)),
            _ => {}
        }
    }
}

/// Replaces the file atomically; a symbolic link stays a link.
fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    let target: PathBuf = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let new = target.with_extension("new");
    let put = || {
        std::fs::write(&new, text)?;
        if let Ok(metadata) = std::fs::metadata(&target) {
            std::fs::set_permissions(&new, metadata.permissions())?;
        }
        std::fs::rename(&new, &target)
    };
    put().with_context(|| format!("cannot write {}", target.display()))
}
