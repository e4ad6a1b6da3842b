use std::process::ExitCode;

use cotty_protocol::op::requests::{HandoffRequest, Params, Reply, State};

use super::{block_on, client};
use crate::out::{self, Style};

/// List the open hand-off requests of agents
///
/// An agent that cannot continue asks a person to take over its session for a moment. `cotty attach --next` opens the
/// request that has waited longest; `cotty answer` answers a request from a script.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty requests\n  cotty requests --json | jq -r '.requests[] | .message'"
)]
pub(crate) struct Args {
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let list: Reply = block_on(async { Ok(client.call(&Params::default()).await?) })?;
    if args.json {
        out::json(&list)?;
    } else if list.requests.is_empty() {
        out::note("no open hand-off requests");
    } else {
        let head = ["ID", "SESSION", "FROM", "STATE", "SINCE", "MESSAGE"].map(str::to_owned);
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(list.requests.iter().map(row)).collect();
        let waits = |at: usize| list.requests[at - 1].state == State::Waiting;
        out::table(&rows, |at, column| (column == 3 && waits(at)).then_some(Style::Warning));
    }
    Ok(ExitCode::SUCCESS)
}

fn row(request: &HandoffRequest) -> [String; 6] {
    let state = match (request.state, &request.by) {
        (State::Taken, Some(by)) => format!("taken by {by}"),
        _ => "waiting".to_owned(),
    };
    [
        request.request_id.clone(),
        request.session_id.clone(),
        request.from.clone(),
        state,
        format!("{} s", request.open_ms / 1000),
        request.message.replace('\n', " "),
    ]
}
