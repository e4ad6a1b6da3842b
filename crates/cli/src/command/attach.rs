use std::process::ExitCode;

use cotty_tui::AttachEnd;

use super::{block_on, client};
use crate::out;

/// Show a session in this terminal and type into it; Ctrl-] d leaves
///
/// The session keeps its size: a smaller window follows the cursor, a larger one shows all of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty attach build\n  cotty attach $(cotty new)")]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let terminal =
        rustix::termios::isatty(rustix::stdio::stdin()) && rustix::termios::isatty(rustix::stdio::stdout());
    anyhow::ensure!(terminal, "attach needs a terminal; `cotty view` prints the screen, `cotty send` types");
    // A session that could be attached to has a daemon.
    let client = client()?.without_start();
    let end = block_on(async { Ok(cotty_tui::attach(&client, &args.session).await?) })?;
    let session = &args.session;
    match end {
        AttachEnd::Detached => {
            out::note(&format!("[detached from {session}; `cotty attach {session}` comes back]"))
        }
        AttachEnd::Exited { exit_code: Some(code), .. } => {
            out::note(&format!("[{session} exited with {code}]"))
        }
        AttachEnd::Exited { signal, .. } => {
            out::note(&format!("[{session} was ended by signal {}]", signal.unwrap_or_default()));
        }
        AttachEnd::Gone => out::note(&format!("[{session} was destroyed]")),
    }
    Ok(ExitCode::SUCCESS)
}
