use std::process::ExitCode;
use std::time::Duration;

use cotty_client::{Home, keeper_pid};
use cotty_protocol::op::config::{Key, Params, Reply};
use cotty_server::config::{Config, KEYS, toml_text};
use serde::Serialize;
use serde_json::Value;

use crate::command::{block_on, client};
use crate::{out, settings};

/// A healthy daemon answers at once.
const LIMIT: Duration = Duration::from_secs(5);

/// Print every value and where it comes from
///
/// Shows the running daemon's values, or those of a daemon that would be started from here.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty config show\n  cotty config show --json | jq '.keys[] | select(.source != \"built_in\")'"
)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Shown {
    /// Where the file is, or would be.
    file: String,
    /// Whether the values are those of a running daemon.
    running: bool,
    keys: Vec<ShownKey>,
    /// Problems in the configuration.
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ShownKey {
    #[serde(flatten)]
    key: Key,
    /// The value in the file, if the daemon has not read it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_restart: Option<Value>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let home = Home::open()?;
    let (text, mut problems) = match settings::read(home.config()) {
        Ok(text) => (text, Vec::new()),
        Err(problem) => (None, vec![problem.to_string()]),
    };
    let file = text.as_deref().map(|text| (home.config(), text));
    let (here, found) = Config::read(file, &settings::environment(), &[]);
    problems.extend(found.iter().map(ToString::to_string));
    let here = here.keys();
    let running: Option<Reply> = keeper_pid(&home).map(|_| ask()).transpose()?;
    let shown = match running {
        Some(running) => Shown {
            file: home.config().display().to_string(),
            running: true,
            keys: running.keys.into_iter().map(|key| beside(key, &here)).collect(),
            problems,
        },
        None => Shown {
            file: home.config().display().to_string(),
            running: false,
            keys: here.into_iter().map(|key| ShownKey { key, after_restart: None }).collect(),
            problems,
        },
    };
    match args.json {
        true => out::json(&shown)?,
        false => print(&shown, file.is_some()),
    }
    Ok(ExitCode::SUCCESS)
}

fn ask() -> anyhow::Result<Reply> {
    let client = client()?.without_start();
    block_on(async { Ok(tokio::time::timeout(LIMIT, client.call(&Params {})).await??) })
}

/// A daemon's value, with the value after a restart if the file changes it. Keys that only clients read have the value from
/// here.
fn beside(key: Key, here: &[Key]) -> ShownKey {
    let Some(now) = here.iter().find(|now| now.key == key.key) else {
        return ShownKey { key, after_restart: None };
    };
    if KEYS.iter().any(|known| known.of_clients && known.path() == key.key) {
        return ShownKey { key: now.clone(), after_restart: None };
    }
    // This environment is not the daemon's, so only the file matters, unless something overrides it.
    let by_file = |key: &Key| key.source == "file" || key.source == "built_in";
    let changes = by_file(&key) && by_file(now) && key.value != now.value;
    ShownKey { key, after_restart: changes.then(|| now.value.clone()) }
}

fn print(shown: &Shown, is_there: bool) {
    let whose =
        if shown.running { "values of the running daemon" } else { "values of a daemon started from here" };
    let there = if is_there { "" } else { " (does not exist)" };
    out::line(&format!("# {whose}; file {}{there}", shown.file));
    let words: Vec<(String, &ShownKey)> = shown
        .keys
        .iter()
        .map(|shown| (format!("{} = {}", shown.key.key, toml_text(&shown.key.value)), shown))
        .collect();
    let width = words.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0).min(60);
    for (text, shown) in &words {
        let restart =
            shown.after_restart.as_ref().map(|value| format!("; {} after `cotty restart`", toml_text(value)));
        out::line(&format!("{text:width$}  # {}{}", shown.key.from, restart.unwrap_or_default()));
    }
    shown.problems.iter().for_each(|problem| out::note(problem));
}
