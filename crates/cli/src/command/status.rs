use std::process::ExitCode;

use cotty_protocol::op::status::Reply;

use super::{block_on, client};
use crate::out;

/// Tell what runs and where it listens; exits with 3 if nothing does
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print it for scripts
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let status: Reply = block_on(async { Ok(client.call("status", &serde_json::json!({})).await?) })?;
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
