use std::process::ExitCode;

use cotty_protocol::op::create::{Params, Reply};

use super::allow::Allow;
use super::{block_on, client, terminal_size};
use crate::out;

/// Start a program in a new session (your shell by default), and print its id
///
/// The session goes on when you leave. From a terminal it starts at that terminal's size.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty new\n  cotty new --name build -- make all\n  cotty attach $(cotty new)\n  \
                  cotty new --env SSH_AUTH_SOCK --cwd ~/src"
)]
pub(crate) struct Args {
    /// A name to find it by
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
    /// A variable for it, besides your own; NAME alone passes yours on, also one that is held back as a secret
    #[arg(long, short, value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
    /// What its output may do beyond showing things; nothing where nothing is named
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    allow: Vec<Allow>,
    /// Print everything that is known of it
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
    let value = std::env::var(text).map_err(|_| format!("{text} is not set here; write it as NAME=VALUE"))?;
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
