mod watch;

use std::process::ExitCode;

use cotty_protocol::op::read::{Format, Params, Reply, View};

use super::{block_on, client};
use crate::out;

/// Print a session's screen
///
/// With --watch it is redrawn whenever it changes, until Ctrl-C or the program's end; watching does not type or resize. If
/// stdout is not a terminal, each screen is printed below the last.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty view build\n  cotty view build --history | less\n  cotty view build --watch --ansi"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Print colours, as escape sequences
    #[arg(long)]
    ansi: bool,
    /// Print the history, too
    #[arg(long)]
    history: bool,
    /// Redraw the screen whenever it changes
    #[arg(long, short, conflicts_with = "history")]
    watch: bool,
    /// Print all details as JSON; with --watch, one line per screen
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    if args.watch {
        let style = watch::Style { ansi: args.ansi, json: args.json };
        return block_on(watch::run(&client, &args.session, style));
    }
    let format = if args.ansi { Format::Raw } else { Format::Plain };
    block_on(async {
        let read = |view| Params {
            session: args.session.clone(),
            view,
            format,
            limit: Some(usize::MAX),
            ..Params::default()
        };
        let mut shown: Reply = client.call(&read(View::Screen)).await?;
        if args.history {
            let history: Reply = client.call(&read(View::Scrollback)).await?;
            if !history.content.is_empty() {
                shown.content = format!("{}\n{}", history.content, shown.content);
                shown.lines += history.lines;
                shown.dropped_lines = history.dropped_lines;
            }
        }
        match args.json {
            true => out::json(&shown)?,
            // The engine writes only styles and text.
            false => out::line(&shown.content),
        }
        Ok(ExitCode::SUCCESS)
    })
}
