use std::process::ExitCode;

use cotty_client::ClientError;
use cotty_protocol::ApiError;
use cotty_protocol::op::commands::{Command, Params, Reply, State};

use super::{block_on, client};
use crate::advice::own_error;
use crate::out::{self, Style};

/// List the commands that a session's shell ran, or print the output of one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty commands build\n  cotty commands build --output 3\n  cotty commands build --output last"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Print the output of this command: its number, or `last`
    #[arg(long, value_name = "N", value_parser = which)]
    output: Option<Which>,
    /// List only the newest N commands
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "output")]
    limit: usize,
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Number(u64),
    Last,
}

fn which(text: &str) -> Result<Which, String> {
    match text {
        "last" => Ok(Which::Last),
        _ => text.parse().map(Which::Number).map_err(|_| "must be a command's number or `last`".to_owned()),
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let list = Params { session: args.session, limit: Some(args.limit), ..Params::default() };
    let reply: Reply = block_on(async {
        let number = match args.output {
            Some(Which::Number(number)) => number,
            Some(Which::Last) => {
                let last: Reply = client.call(&Params { limit: Some(1), ..list.clone() }).await?;
                if last.total == 0 {
                    return Err(
                        ClientError::from(own_error(ApiError::NoCommands { session: list.session })).into()
                    );
                }
                last.total
            }
            None => return Ok(client.call(&list).await?),
        };
        let whole = Params { output: Some(number), head: Some(usize::MAX), ..list };
        Ok(client.call(&whole).await?)
    })?;
    if args.json {
        out::json(&reply)?;
    } else if args.output.is_some() {
        for output in reply.commands.iter().filter_map(|command| command.output.as_ref()) {
            out::screen(&output.head);
        }
        let dropped: u64 = reply.commands.iter().map(|command| command.dropped_lines).sum();
        if dropped > 0 {
            out::note(&format!("cotty: {dropped} lines of the output were dropped"));
        }
    } else if reply.commands.is_empty() {
        out::note("no commands yet");
    } else {
        let head = ["#", "EXIT", "TOOK", "LINES", "DIRECTORY", "COMMAND"].map(str::to_owned);
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(reply.commands.iter().map(row)).collect();
        out::table(&rows, |at, column| match (column, reply.commands[at - 1].exit_code) {
            (1, Some(0)) => Some(Style::Good),
            (1, Some(_)) => Some(Style::Bad),
            (1, None) => Some(Style::Warning),
            _ => None,
        });
    }
    Ok(ExitCode::SUCCESS)
}

fn row(command: &Command) -> [String; 6] {
    let exit = match (command.state, command.exit_code) {
        (State::Done | State::Exited, Some(code)) => code.to_string(),
        (State::Done, None) => "-".to_owned(),
        (State::Running, _) => "running".to_owned(),
        (State::Denied, _) => "denied".to_owned(),
        (State::Exited, None) => "exited".to_owned(),
    };
    [
        command.number.to_string(),
        exit,
        duration(command.duration_ms),
        command.lines.to_string(),
        command.directory.clone().unwrap_or_default(),
        command.text.clone().unwrap_or_else(|| "?".to_owned()),
    ]
}

fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        60_000..3_600_000 => format!("{}m{:02}s", ms / 60_000, ms / 1000 % 60),
        _ => format!("{}h{:02}m", ms / 3_600_000, ms / 60_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        let shown = [7, 1_250, 61_000, 3_661_000].map(duration);
        assert_eq!(shown, ["7ms", "1.2s", "1m01s", "1h01m"]);
    }
}
