use std::process::ExitCode;

use clap::Parser;
use cotty_protocol::op::create::{Params, Reply};

use super::{Command, block_on, client, in_terminal, terminal_size};
use crate::{Cli, out};

/// `cotty` without a command: a shell in this terminal that agents may join, like `cotty attach $(cotty new)`.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    if let Ok(session) = std::env::var("COTTY_SESSION") {
        out::note(&format!(
            "cotty: this terminal is already a session: {session}\n       \
             agents can use it; `cotty new` starts another session, `cotty --help` lists all commands"
        ));
        return Ok(ExitCode::FAILURE);
    }
    if !in_terminal() {
        out::note(
            "cotty: a shell needs a terminal\n       \
             `cotty new` starts a session in the background, `cotty --help` lists all commands",
        );
        return Ok(ExitCode::from(out::USAGE));
    }
    let (cols, rows) = terminal_size().unzip();
    let params = Params { cols, rows, ..Params::default() };
    let made: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    let attach = Cli::try_parse_from(["cotty", "attach", &made.session_id])?;
    attach.command.map_or(Ok(ExitCode::SUCCESS), Command::run)
}
