use std::process::ExitCode;

use cotty_protocol::op::read::{Format, Params, Reply, View};

use super::{block_on, client};
use crate::out;

/// Print what a session shows
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// With colours, as escape sequences
    #[arg(long)]
    ansi: bool,
    /// What left the screen, too
    #[arg(long)]
    history: bool,
    /// Print everything that is known of it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let format = if args.ansi { Format::Raw } else { Format::Plain };
    block_on(async {
        let read = |view| Params {
            session: args.session.clone(),
            view,
            format,
            limit: Some(usize::MAX),
            ..Params::default()
        };
        let mut shown: Reply = client.call("read", &read(View::Screen)).await?;
        if args.history {
            let history: Reply = client.call("read", &read(View::Scrollback)).await?;
            if !history.content.is_empty() {
                shown.content = format!("{}\n{}", history.content, shown.content);
                shown.lines += history.lines;
                shown.dropped_lines = history.dropped_lines;
            }
        }
        match args.json {
            true => out::json(&shown)?,
            false => out::line(&shown.content),
        }
        Ok(ExitCode::SUCCESS)
    })
}
