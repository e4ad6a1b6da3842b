use std::process::ExitCode;

use clap::Parser;
use cotty_protocol::op::create::{Params, Reply};

use super::{Command, block_on, client, in_terminal, terminal_size};
use crate::{Cli, out};

/// `cotty` alone: a shell in this terminal that agents may join. What `cotty attach $(cotty new)` does.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    if let Ok(session) = std::env::var("COTTY_SESSION") {
        out::note(&format!(
            "cotty: this terminal is a session already: {session}\n       \
             agents may join it as it is; `cotty new` starts another beside it, `cotty --help` lists what else there is"
        ));
        return Ok(ExitCode::FAILURE);
    }
    if !in_terminal() {
        out::note(
            "cotty: a shell needs a terminal\n       \
             `cotty new` starts one without, `cotty --help` lists what else there is",
        );
        return Ok(ExitCode::from(out::USAGE));
    }
    let (cols, rows) = terminal_size().unzip();
    let params = Params { cols, rows, ..Params::default() };
    let made: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    let attach = Cli::try_parse_from(["cotty", "attach", &made.session_id])?;
    attach.command.map_or(Ok(ExitCode::SUCCESS), Command::run)
}
