use std::process::ExitCode;
use std::time::Duration;

use cotty_client::ClientError;
use cotty_protocol::op::status::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// A healthy daemon answers at once.
const LIMIT: Duration = Duration::from_secs(5);

/// Show the daemon's state and address; exits with 3 if no daemon is running
///
/// The link to the page lets in whoever has it. It is shown on a terminal, by --link and by --json.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty status\n  xdg-open \"$(cotty status --link)\"")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print only the link to the page
    #[arg(long, conflicts_with = "json")]
    link: bool,
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
    if args.link {
        out::line(&status.link);
        return Ok(ExitCode::SUCCESS);
    }
    // Logs and scripts get the page's address only.
    let page = match rustix::termios::isatty(rustix::stdio::stdout()) {
        true => status.link,
        false => status.http,
    };
    let sessions = match (status.live, status.exited) {
        (live, 0) => format!("{live} live"),
        (live, exited) => format!("{live} live, {exited} exited"),
    };
    out::line(&format!("cotty {} (daemon {}, keeper {})", status.version, status.pid, status.keeper_pid));
    out::line(&format!("sessions  {sessions}"));
    out::line(&format!("page      {page}"));
    out::line(&format!("socket    {}", status.socket));
    Ok(ExitCode::SUCCESS)
}
