use std::process::ExitCode;
use std::time::Duration;

use cotty_client::ClientError;
use cotty_protocol::op::status::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// A healthy daemon answers at once.
const LIMIT: Duration = Duration::from_secs(5);

/// Show the daemon's state and address; exits with 3 if no daemon is running
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty status\n  cotty status --json | jq -r .link")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let status: Reply = block_on(async {
        let asked = tokio::time::timeout(LIMIT, client.call(&Params {})).await;
        let stuck = || ClientError::NoAnswer(format!("timed out after {} s", LIMIT.as_secs()));
        Ok(asked.map_err(|_| stuck())??)
    })?;
    if args.json {
        out::json(&status)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sessions = match (status.live, status.exited) {
        (live, 0) => format!("{live} live"),
        (live, exited) => format!("{live} live, {exited} exited"),
    };
    out::line(&format!("cotty {} (daemon {}, keeper {})", status.version, status.pid, status.keeper_pid));
    out::line(&format!("sessions  {sessions}"));
    out::line(&format!("page      {}", status.link));
    out::line(&format!("socket    {}", status.socket));
    Ok(ExitCode::SUCCESS)
}
