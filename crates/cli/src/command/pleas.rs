use std::process::ExitCode;

use cotty_protocol::op::pleas::{Params, Plea, Reply, State};

use super::{block_on, client};
use crate::out::{self, Look};

/// List what agents ask of people
///
/// An agent that cannot go on asks a person to take over its session for a moment. `cotty attach --next` sees to the one
/// that has waited longest; `cotty answer` answers one from a script.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty pleas\n  cotty pleas --json | jq -r '.pleas[] | .message'")]
pub(crate) struct Args {
    /// Print everything that is known of them
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let list: Reply = block_on(async { Ok(client.call(&Params::default()).await?) })?;
    if args.json {
        out::json(&list)?;
    } else if list.pleas.is_empty() {
        out::note("no agent asks for a person");
    } else {
        let head = ["ID", "SESSION", "FROM", "STATE", "SINCE", "MESSAGE"].map(str::to_owned);
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(list.pleas.iter().map(row)).collect();
        let waits = |at: usize| list.pleas[at - 1].state == State::Waiting;
        out::table(&rows, |at, column| (column == 3 && waits(at)).then_some(Look::Warning));
    }
    Ok(ExitCode::SUCCESS)
}

fn row(plea: &Plea) -> [String; 6] {
    let state = match (plea.state, &plea.by) {
        (State::Taken, Some(by)) => format!("taken by {by}"),
        _ => "waiting".to_owned(),
    };
    [
        plea.plea.clone(),
        plea.session_id.clone(),
        plea.from.clone(),
        state,
        format!("{} s", plea.open_ms / 1000),
        plea.message.replace('\n', " "),
    ]
}
