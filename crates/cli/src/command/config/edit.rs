use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use cotty_client::{Home, keeper_pid};
use cotty_server::config::template;

use super::check;
use crate::{out, settings};

/// Open the configuration in your editor ($VISUAL, $EDITOR)
///
/// A copy is edited and checked, and takes the file's place only when it is right. Where there is no file yet, one with every
/// key and its built-in value in comments is opened.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty config edit\n  EDITOR='code --wait' cotty config edit")]
pub(crate) struct Args {}

enum Choice {
    Again,
    Keep,
    Drop,
}

pub(crate) fn run(_args: Args) -> anyhow::Result<ExitCode> {
    let home = Home::open()?;
    let path = home.config();
    let before = settings::read(path).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let dir = path.parent().context("a directory for the configuration")?;
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    let copy = dir.join(format!("config.edit-{}.toml", std::process::id()));
    std::fs::write(&copy, before.clone().unwrap_or_else(template))
        .with_context(|| copy.display().to_string())?;
    let edited = edit(&copy, path, before.as_deref().unwrap_or(&template()));
    // A copy that is of use is named; any other goes.
    match edited {
        Ok(Edited::Broken) => {
            let aside = dir.join("config.rejected.toml");
            std::fs::rename(&copy, &aside)?;
            out::note(&format!("{} is as it was; what you wrote is in {}", path.display(), aside.display()));
            Ok(ExitCode::FAILURE)
        }
        Ok(Edited::Dropped) => {
            std::fs::remove_file(&copy)?;
            out::note(&format!("{} is as it was", path.display()));
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
            let next = match keeper_pid(&home) {
                Some(_) => "; `cotty restart` makes the daemon read it and keeps every session",
                None => "",
            };
            out::note(&format!("{} is changed{next}", path.display()));
            Ok(ExitCode::SUCCESS)
        }
        Ok(Edited::Kept(text)) => {
            put(path, &text)?;
            std::fs::remove_file(&copy)?;
            out::note(&format!(
                "{} is changed and NOT right: a daemon that runs keeps what was right last, a new one will not start",
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
    /// Broken, and wanted so.
    Kept(String),
    Dropped,
    /// Broken, and nobody there to ask.
    Broken,
}

fn edit(copy: &Path, path: &Path, before: &str) -> anyhow::Result<Edited> {
    loop {
        open(copy)?;
        let text = settings::read(copy).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        let text = text.context("the editor took the file away")?;
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

/// Opens a person's editor. Its value may have arguments, as shells have it.
fn open(file: &Path) -> anyhow::Result<()> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let status =
        Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file).status()?;
    anyhow::ensure!(status.success(), "the editor `{editor}` failed ({status}); nothing was changed");
    Ok(())
}

/// What to do with a broken one; nothing where there is nobody to ask.
fn ask() -> anyhow::Result<Option<Choice>> {
    if !rustix::termios::isatty(rustix::stdio::stdin()) {
        return Ok(None);
    }
    loop {
        eprint!("e  edit again    d  drop your changes    k  keep it broken: ");
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

/// Replaces the file as a whole; one that is a link stays one.
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
    put().with_context(|| format!("{} cannot be written", target.display()))
}
