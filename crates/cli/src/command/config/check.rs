use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cotty_client::Home;
use cotty_server::config::{Config, Problem};

use crate::{out, settings};

/// Check the configuration; exits with 1 if something is wrong
///
/// Without FILE, checks the configuration file and the variables of this shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty config check\n  cotty config check new.toml")]
pub(crate) struct Args {
    /// Another file to check
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (path, env) = match args.file {
        Some(file) => {
            anyhow::ensure!(file.exists(), "{} does not exist", file.display());
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
        Some(_) => out::line(&format!("{} is valid", path.display())),
        None => out::line(&format!("{} does not exist; it is optional", path.display())),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn say(problems: &[Problem]) {
    problems.iter().for_each(|problem| out::note(&problem.to_string()));
}

/// The problems of this text as the content of the file.
pub(super) fn problems(path: &Path, text: &str) -> Vec<Problem> {
    Config::read(Some((path, text)), &Default::default(), &[]).1
}
