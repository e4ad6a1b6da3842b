use std::process::ExitCode;

use cotty_protocol::op::answer::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// Complete or decline a hand-off request
///
/// `cotty requests` lists the open requests. Use `cotty attach --next` instead to see the session and type into it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty answer req_a1b2c3d4 --done\n  cotty answer req_a1b2c3d4 --decline --note 'not before Monday'"
)]
pub(crate) struct Args {
    /// The id that `cotty requests` shows
    request_id: String,
    /// Complete the request: the agent continues
    #[arg(long, required_unless_present = "decline", conflicts_with = "decline")]
    done: bool,
    /// Decline the request
    #[arg(long)]
    decline: bool,
    /// A note to the agent
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Print the ended request as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Without a daemon there is no request.
    let client = client()?.without_start();
    let params = Params { request_id: args.request_id, decline: args.decline, note: args.note };
    let answered: Reply = block_on(async { Ok(client.call(&params).await?) })?;
    if args.json {
        out::json(&answered)?;
    }
    Ok(ExitCode::SUCCESS)
}
