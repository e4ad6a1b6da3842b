use std::net::SocketAddr;
use std::process::ExitCode;

use cotty_client::{Home, lock_keeper};

use super::daemon;

/// Keep the daemon in the foreground; Ctrl-C ends it and all sessions
///
/// Other commands start one in the background when there is none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty serve\n  cotty serve --listen 127.0.0.1:8080")]
pub(crate) struct Args {
    /// Serve the page here instead of at 127.0.0.1:7420
    #[arg(long, env = "COTTY_HTTP_LISTEN", value_name = "ADDR")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    limits: daemon::Limits,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let home = Home::open()?;
    let lock = lock_keeper(&home)?;
    daemon::keep(lock, None, args.listen, args.limits, true)
}
