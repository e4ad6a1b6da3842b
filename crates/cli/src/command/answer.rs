use std::process::ExitCode;

use cotty_protocol::op::answer::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// Answer what an agent asks of people: it is done, or declined
///
/// `cotty requests` lists what is asked. To see the session and type into it, `cotty attach --next` is the better answer.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty answer plea_a1b2c3d4 --done\n  cotty answer plea_a1b2c3d4 --decline --note 'not before Monday'"
)]
pub(crate) struct Args {
    /// The id that `cotty requests` shows
    request_id: String,
    /// It is done: the agent goes on
    #[arg(long, required_unless_present = "decline", conflicts_with = "decline")]
    done: bool,
    /// It will not be done
    #[arg(long)]
    decline: bool,
    /// A word to the agent
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Print what became of it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Who asks has a daemon.
    let client = client()?.without_start();
    let params = Params { request_id: args.request_id, decline: args.decline, note: args.note };
    let answered: Reply = block_on(async { Ok(client.call(&params).await?) })?;
    if args.json {
        out::json(&answered)?;
    }
    Ok(ExitCode::SUCCESS)
}
