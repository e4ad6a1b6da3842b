use std::process::ExitCode;

use anyhow::Context;
use cotty_protocol::op::resize::{Params, Reply};

use super::{block_on, client, terminal_size};
use crate::out;

/// Give a session another size
///
/// Its program is told, as if a person had pulled at a window's corner. Watching never resizes a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty resize build 120x40\n  cotty resize build            # this terminal's size"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Columns and rows; this terminal's where none are given
    #[arg(value_name = "COLSxROWS", value_parser = size)]
    size: Option<(u16, u16)>,
    /// Print its size for scripts
    #[arg(long)]
    json: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once(['x', 'X', '×']);
    let size = parts.and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    size.ok_or_else(|| "write it as 120x40: columns, then rows".to_owned())
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let size = args.size.or_else(terminal_size);
    let (cols, rows) =
        size.context("there is no terminal here to take the size of; give one, as in 120x40")?;
    let params = Params { session: args.session, cols: Some(cols), rows: Some(rows), fit: false };
    let sized: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    if args.json {
        out::json(&sized)?;
    }
    Ok(ExitCode::SUCCESS)
}
