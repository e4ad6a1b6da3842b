use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cotty_client::Home;
use cotty_server::config::{Config, Problem};

use crate::{out, settings};

/// Say what is wrong with the configuration; exits with 1 if something is
///
/// Without a file: the one that is in force, and the variables of this shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty config check\n  cotty config check new.toml")]
pub(crate) struct Args {
    /// Another file
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (path, env) = match args.file {
        Some(file) => {
            anyhow::ensure!(file.exists(), "{} is not there", file.display());
            (file, Default::default())
        }
        None => (Home::open()?.config().to_owned(), settings::environment()),
    };
    let (text, mut problems) = match settings::read(&path) {
        Ok(text) => (text, Vec::new()),
        Err(problem) => (None, vec![problem]),
    };
    problems.extend(Config::read(text.as_deref().map(|text| (path.as_path(), text)), &env, &[]).1);
    if !problems.is_empty() {
        say(&problems);
        return Ok(ExitCode::FAILURE);
    }
    match text {
        Some(_) => out::line(&format!("{} is right", path.display())),
        None => out::line(&format!("{} is not there, and need not be", path.display())),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn say(problems: &[Problem]) {
    problems.iter().for_each(|problem| out::note(&problem.to_string()));
}

/// What is wrong with this text, were it the file.
pub(super) fn problems(path: &Path, text: &str) -> Vec<Problem> {
    Config::read(Some((path, text)), &Default::default(), &[]).1
}
