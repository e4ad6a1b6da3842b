use std::process::ExitCode;

use anyhow::Context;
use cotty_protocol::op::resize::{Params, Reply};

use super::{block_on, client, terminal_size};
use crate::out;

/// Resize a session
///
/// The program is notified as if its window was resized. Watching a session never resizes it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty resize build 120x40\n  cotty resize build            # this terminal's size"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Columns and rows; default: this terminal's size
    #[arg(value_name = "COLSxROWS", value_parser = size)]
    size: Option<(u16, u16)>,
    /// Print the size as JSON
    #[arg(long)]
    json: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once(['x', 'X', '×']);
    let size = parts.and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    size.ok_or_else(|| "must be columns and rows, like 120x40".to_owned())
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let size = args.size.or_else(terminal_size);
    let (cols, rows) =
        size.context("there is no terminal to take the size from; give a size, like 120x40")?;
    let params = Params { session: args.session, cols: Some(cols), rows: Some(rows), fit: false };
    let sized: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    if args.json {
        out::json(&sized)?;
    }
    Ok(ExitCode::SUCCESS)
}
