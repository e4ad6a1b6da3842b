use std::process::ExitCode;

use cotty_protocol::op::list::Reply;
use cotty_protocol::op::{Activity, SessionInfo};

use super::{block_on, client};
use crate::out;

/// List the sessions
#[derive(Debug, clap::Args)]
#[command(alias = "list")]
pub(crate) struct Args {
    /// Print everything that is known of them
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let list: Reply = block_on(async { Ok(client.call("list", &serde_json::json!({})).await?) })?;
    if args.json {
        out::json(&list)?;
    } else if list.sessions.is_empty() {
        out::note("no sessions; `cotty new` starts one");
    } else {
        out::text(&table(&list.sessions));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(sessions: &[SessionInfo]) -> String {
    let head = ["#", "ID", "NAME", "STATE", "SIZE", "PROGRAM", "OWNER", "DIRECTORY"].map(str::to_owned);
    let rows: Vec<[String; 8]> = std::iter::once(head).chain(sessions.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn row(info: &SessionInfo) -> [String; 8] {
    let state = match (&info.activity, info.exit_code, info.signal) {
        (Activity::Exited, Some(code), _) => format!("exited {code}"),
        (Activity::Exited, None, Some(signal)) => format!("killed by {signal}"),
        (Activity::Exited, None, None) => "exited".to_owned(),
        (Activity::Prompt, ..) => "prompt".to_owned(),
        (Activity::SecretInput, ..) => "asks for a secret".to_owned(),
        (Activity::SecretSuspected, ..) => "may ask for a secret".to_owned(),
        (Activity::Running { program: Some(program) }, ..) => format!("running {program}"),
        (Activity::Running { program: None }, ..) => "running".to_owned(),
    };
    let cells = [
        info.number.to_string(),
        info.session_id.clone(),
        info.name.clone().unwrap_or_else(|| "-".to_owned()),
        state,
        format!("{}x{}", info.dimensions.cols, info.dimensions.rows),
        std::iter::once(&info.program).chain(&info.args).cloned().collect::<Vec<_>>().join(" "),
        info.owner.clone(),
        info.cwd.clone().unwrap_or_default(),
    ];
    // Arguments and directories are others' text: nothing of it may act on this terminal.
    cells.map(|cell| cell.chars().map(|c| if c.is_control() { '?' } else { c }).collect())
}
