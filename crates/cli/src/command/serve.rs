use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use cotty_client::{ClientError, Home, has_more_than_needed, lock_keeper, start_again_with_needed};
use cotty_protocol::op::status;

use super::{block_on, client, daemon};
use crate::settings::{self, Whose};

/// How long a daemon that is already running may take to report its status.
const LIMIT: Duration = Duration::from_secs(2);

/// Run the daemon in the foreground; Ctrl-C ends it and all sessions
///
/// Other commands start it in the background if it is not running. Flags override variables (COTTY_HTTP_LISTEN), and
/// variables override the file that `cotty config edit` opens.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty serve\n  cotty serve --listen 127.0.0.1:8000 --max-sessions 50")]
pub(crate) struct Args {
    /// Address of the page and of HTTP; default: 127.0.0.1:7420
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    limits: daemon::Limits,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if has_more_than_needed() {
        return Err(start_again_with_needed().into());
    }
    let home = Home::open()?;
    let locks = match lock_keeper(&home) {
        Err(ClientError::AlreadyRunning(pid)) => return Err(refused(&pid).into()),
        locks => locks?,
    };
    let flags = daemon::flags(args.listen, args.limits);
    settings::load(&home, Whose::Daemons, &flags)?;
    daemon::keep(locks, None, &flags, true)
}

/// The error that describes the running daemon.
fn refused(pid: &str) -> ClientError {
    let asked = block_on(async {
        let client = client()?.without_start();
        Ok(tokio::time::timeout(LIMIT, client.call(&status::Params {})).await??)
    });
    let rest = match asked {
        Ok(status::Reply { version, live, http, .. }) => {
            format!("version {version}, live sessions: {live}, page {http}")
        }
        Err(_) => "does not answer".to_owned(),
    };
    ClientError::AlreadyRunning(format!("{pid}, {rest}"))
}
