use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use cotty_client::Client;
use cotty_protocol::op::recording::{self, Params, Reply};

use super::{block_on, client};
use crate::out;

/// Print the recording of a session, even of a destroyed one
///
/// It contains the terminal's output and the input of agents; of a person's input, only its length.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "log",
    after_help = "Examples:\n  cotty recording build > build.cast\n  cotty recording sess_a1b2c3d4 --format text --output build.txt\n  \
                  cotty recording build --format jsonl | tail"
)]
pub(crate) struct Args {
    /// Id, number or name; for a destroyed session, preferably its id
    session: String,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Cast)]
    format: Format,
    /// Write to this file instead of stdout; only you can read it
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// An asciicast, version 3, for players
    Cast,
    /// The text that a person would have seen
    Text,
    /// One line of JSON per event
    Jsonl,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    block_on(async {
        match &args.output {
            Some(path) => write(&client, &args.session, args.format, create(path)?).await?,
            None => pages(&client, &args.session, args.format, |page| Ok(out::text(page))).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Creates a file that other users cannot read.
pub(crate) fn create(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let file = file.with_context(|| path.display().to_string())?;
    // An existing file might be readable by others. A device keeps its mode.
    if file.metadata()?.is_file() {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a session's recording into a file.
pub(crate) async fn write(
    client: &Client,
    session: &str,
    format: Format,
    mut file: File,
) -> anyhow::Result<()> {
    let take = |page: &str| {
        file.write_all(page.as_bytes()).context("cannot write the recording")?;
        Ok(true)
    };
    pages(client, session, format, take).await
}

/// Passes each page to `take`, until the last page or until `take` returns false.
pub(crate) async fn pages(
    client: &Client,
    session: &str,
    format: Format,
    mut take: impl FnMut(&str) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let named = match format {
        Format::Cast => recording::Format::Cast,
        Format::Text => recording::Format::Text,
        Format::Jsonl => recording::Format::Jsonl,
    };
    let mut params = Params { session: session.to_owned(), format: named, ..Params::default() };
    loop {
        let page: Reply = client.call(&params).await?;
        let content = match format {
            Format::Text => page.content,
            Format::Cast | Format::Jsonl => out::safe_json(&page.content),
        };
        if !take(&content)? || page.end {
            return Ok(());
        }
        // By id: another session might get the name meanwhile.
        params = Params { session: page.session_id, next: Some(page.next), ..params };
    }
}
