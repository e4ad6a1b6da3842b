use std::process::ExitCode;

use cotty_protocol::op::destroy::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// End a session and everything it started
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty kill build\n  cotty kill 3 --force")]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Kill at once instead of asking the program to end
    #[arg(long, short)]
    force: bool,
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let params = Params { session: args.session, force: args.force };
    let ended: Reply = block_on(async { Ok(client.call(&params).await?) })?;
    if args.json {
        out::json(&ended)?;
    } else if !ended.left_running.is_empty() {
        out::note(&format!("still running, detached from the session: {}", ended.left_running.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
