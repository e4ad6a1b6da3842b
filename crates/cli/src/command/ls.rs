use std::process::ExitCode;

use cotty_protocol::op::list::{Params, Reply};
use cotty_protocol::op::requests::State;
use cotty_protocol::op::{Activity, SessionInfo};
use serde_json::{Value, json};

use super::{block_on, client};
use crate::advice;
use crate::out::{self, Style};

/// List the sessions
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "list",
    after_help = "Examples:\n  cotty ls\n  cotty ls --json | jq -r '.sessions[] | select(.state == \"prompt\") | .session_id'"
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
        let sessions = list.sessions.iter().map(for_scripts).collect::<Result<Vec<_>, _>>()?;
        out::json(&json!({ "sessions": sessions, "count": list.count }))?;
    } else if list.sessions.is_empty() {
        match advice::inside() {
            true => {
                out::note("no sessions were started in this session; inside a session others are not shown")
            }
            false => out::note("no sessions; `cotty new` starts one"),
        }
    } else {
        let head = ["#", "ID", "NAME", "STATE", "SIZE", "PROGRAM", "OWNER", "DIRECTORY", "TITLE"];
        let rows: Vec<[String; 9]> =
            std::iter::once(head.map(str::to_owned)).chain(list.sessions.iter().map(row)).collect();
        out::table(&rows, |at, column| style(&list.sessions[at - 1]).filter(|_| column == 3));
    }
    Ok(ExitCode::SUCCESS)
}

/// All details, with the activity as one word in `state`, and `name` even if it is null.
fn for_scripts(info: &SessionInfo) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(info)?;
    value["state"] = value["activity"]["kind"].clone();
    value["name"] = json!(info.name);
    Ok(value)
}

fn style(info: &SessionInfo) -> Option<Style> {
    match info.activity {
        _ if info.handoff.is_some() || info.history_lost.is_some() => Some(Style::Warning),
        Activity::Prompt => Some(Style::Good),
        Activity::SecretInput | Activity::SecretSuspected => Some(Style::Warning),
        Activity::Exited if info.exit_code == Some(0) => Some(Style::Dim),
        Activity::Exited => Some(Style::Bad),
        _ => None,
    }
}

fn row(info: &SessionInfo) -> [String; 9] {
    let state = match (&info.activity, info.exit_code, info.signal) {
        (Activity::Exited, Some(code), _) => format!("exited {code}"),
        (Activity::Exited, None, Some(signal)) => format!("killed by signal {signal}"),
        (Activity::Exited, None, None) => "exited".to_owned(),
        (Activity::Prompt, ..) => "prompt".to_owned(),
        (Activity::SecretInput, ..) => "asks for a secret".to_owned(),
        (Activity::SecretSuspected, ..) => "may ask for a secret".to_owned(),
        (Activity::Running { program: Some(program) }, ..) => format!("running {program}"),
        (Activity::Running { program: None }, ..) => "running".to_owned(),
        (Activity::WaitingForInput { program: Some(program) }, ..) => format!("{program} waits for input"),
        (Activity::WaitingForInput { program: None }, ..) => "waits for input".to_owned(),
        (Activity::Pager { program } | Activity::Editor { program }, ..) => format!("in {program}"),
    };
    let asks = info.handoff.as_ref().map(|request| match (request.state, &request.by) {
        (State::Taken, Some(by)) => format!(", taken by {by}"),
        _ => ", asks for a person".to_owned(),
    });
    let lost = if info.history_lost.is_some() { ", history lost" } else { "" };
    let state = state + &asks.unwrap_or_default() + lost;
    [
        info.number.to_string(),
        info.session_id.clone(),
        info.name.clone().unwrap_or_else(|| "-".to_owned()),
        state,
        format!("{}x{}", info.dimensions.cols, info.dimensions.rows),
        std::iter::once(&info.program).chain(&info.args).cloned().collect::<Vec<_>>().join(" "),
        info.owner.clone(),
        info.cwd.clone().unwrap_or_default(),
        info.title.clone(),
    ]
}
