use std::process::ExitCode;

use cotty_client::{Client, Home, pipe};
use cotty_protocol::ActorKind;

use super::block_on;

/// Speak MCP over stdin and stdout, for an agent
///
/// Put `cotty mcp` as the command of an MCP server into your agent's configuration. It starts the daemon if there is
/// none, and goes on when the daemon is replaced.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty mcp\n  cotty --host user@box mcp    # terminals on another machine"
)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> anyhow::Result<ExitCode> {
    let client = Client::new(Home::open()?, ActorKind::Agent, "cotty mcp")?;
    block_on(async {
        pipe::run(&client, tokio::io::stdin(), tokio::io::stdout()).await?;
        Ok(())
    })?;
    // The runtime's reader of stdin may still hang in a read; the process need not wait for it.
    std::process::exit(0)
}
