use std::process::ExitCode;
use std::time::Duration;

use cotty_protocol::op::ask::{Params, Reply};
use cotty_protocol::op::requests::State;
use cotty_protocol::op::withdraw;

use super::wait::seconds;
use super::{block_on, client};
use crate::out;

/// Ask a person to take over a session for a moment, and wait for the answer
///
/// People see the message in `cotty requests`, `cotty attach` and the page. Exits with 0 if a person completed the request,
/// and with 3 otherwise. Ctrl-C withdraws it. A script inside an agent's session may ask there, too.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty ask 'please log in to the registry, then give the keyboard back'\n  cotty ask --session build 'which branch?' --timeout 3600 --json | jq -r .note"
)]
pub(crate) struct Args {
    /// What the person should do
    message: String,
    /// Id, number or name
    #[arg(long, env = "COTTY_SESSION", hide_env_values = true)]
    session: String,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    timeout: Duration,
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Without a daemon there is no session to ask for.
    let client = client()?.without_start();
    let params = Params {
        session: args.session,
        message: Some(args.message),
        timeout_ms: Some(u64::try_from(args.timeout.as_millis())?),
        wait_ms: Some(0),
        request_id: None,
    };
    let asked: Reply = block_on(async {
        let made: Reply = client.call(&params).await?;
        let (session, request_id) = (made.request.session_id, made.request.request_id);
        let wait =
            Params { session: session.clone(), request_id: Some(request_id.clone()), ..Params::default() };
        tokio::select! {
            asked = client.call(&wait) => Ok(asked?),
            _ = tokio::signal::ctrl_c() => {
                let params = withdraw::Params { session, request_id };
                let _: withdraw::Reply = client.call(&params).await?;
                Ok(client.call(&wait).await?)
            }
        }
    })?;
    let by = asked.request.by.as_deref().unwrap_or("somebody");
    let why = match asked.request.state {
        State::Completed => None,
        State::Declined => Some(format!("{by} declined")),
        State::Cancelled => Some("the hand-off request was withdrawn".to_owned()),
        State::Timeout | State::Waiting | State::Taken => Some("the hand-off request timed out".to_owned()),
    };
    if args.json {
        out::json(&asked)?;
    } else {
        if let Some(note) = &asked.request.note {
            out::screen(note);
        }
        if let Some(why) = &why {
            out::note(&format!("cotty: {why}"));
        }
    }
    Ok(why.map_or(ExitCode::SUCCESS, |_| ExitCode::from(out::NO)))
}
