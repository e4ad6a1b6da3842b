use std::process::ExitCode;

use cotty_protocol::op::create::{Params, Reply};

use super::allow::Allow;
use super::{block_on, client, terminal_size};
use crate::out;

/// Start a program (default: your shell) in a new session, and print the session's id
///
/// The session keeps running when you leave. If you start it from a terminal, it has that terminal's size.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty new\n  cotty new --name build -- make all\n  cotty attach $(cotty new)\n  \
                  cotty new --env SSH_AUTH_SOCK --cwd ~/src"
)]
pub(crate) struct Args {
    /// The session's name
    #[arg(long)]
    name: Option<String>,
    /// Columns
    #[arg(long)]
    cols: Option<u16>,
    /// Rows
    #[arg(long)]
    rows: Option<u16>,
    /// Working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Set a variable; NAME alone passes your value on, even if cotty would withhold it as a secret
    #[arg(long, short, value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
    /// What the program's output may do besides being shown; default: nothing
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    allow: Vec<Allow>,
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    command: Vec<String>,
}

pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    if let Some((name, value)) = text.split_once('=') {
        return Ok((name.to_owned(), value.to_owned()));
    }
    let value = std::env::var(text).map_err(|_| format!("{text} is not set here; give NAME=VALUE"))?;
    Ok((text.to_owned(), value))
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let size = terminal_size();
    let mut command = args.command.into_iter();
    let params = Params {
        program: command.next(),
        args: command.collect(),
        name: args.name,
        cols: args.cols.or(size.map(|s| s.0)),
        rows: args.rows.or(size.map(|s| s.1)),
        env: args.env.into_iter().collect(),
        cwd: args.cwd,
        allow: args.allow.into_iter().map(Allow::named).collect(),
        ..Params::default()
    };
    let made: Reply = block_on(async { Ok(client.call(&params).await?) })?;
    match args.json {
        true => out::json(&made)?,
        false => out::line(&made.session_id),
    }
    Ok(ExitCode::SUCCESS)
}
