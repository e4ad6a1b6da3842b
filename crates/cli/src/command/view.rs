mod watch;

use std::process::ExitCode;

use cotty_protocol::op::read::{Format, Params, Reply, View};

use super::{block_on, client};
use crate::out;

/// Print what a session shows
///
/// With --watch it is shown anew as it changes, until Ctrl-C or the program's end; nothing is typed and nothing is
/// resized. Where stdout is no terminal, each screen is printed below the last.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty view build\n  cotty view build --history | less\n  cotty view build --watch --ansi"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// With colours, as escape sequences
    #[arg(long)]
    ansi: bool,
    /// What left the screen, too
    #[arg(long)]
    history: bool,
    /// Go on showing it as it changes
    #[arg(long, short, conflicts_with = "history")]
    watch: bool,
    /// Print everything that is known of it; with --watch a line for each screen
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
            // The engine writes styles and text, nothing else.
            false => out::line(&shown.content),
        }
        Ok(ExitCode::SUCCESS)
    })
}
