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

/// Print the recording of a session, also of one that is long gone
///
/// It has what the terminal showed and what agents typed; of what a person typed only how much it was.
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "log",
    after_help = "Examples:\n  cotty recording build > build.cast\n  cotty recording sess_a1b2c3d4 --format text --output build.txt\n  \
                  cotty recording build --format jsonl | tail"
)]
pub(crate) struct Args {
    /// Id, number or name; of a session that is gone best its id
    session: String,
    /// How to write it down
    #[arg(long, value_enum, default_value_t = Format::Cast)]
    format: Format,
    /// Write it to this file, for you alone, instead of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// An asciicast, version 3: for players
    Cast,
    /// The text that a person would have seen
    Text,
    /// A line of JSON for each thing that happened
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

/// A file that others cannot read.
pub(crate) fn create(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let file = file.with_context(|| path.display().to_string())?;
    // One that was there may have been for others, too. A device is what it is.
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
        file.write_all(page.as_bytes()).context("the recording could not be written")?;
        Ok(true)
    };
    pages(client, session, format, take).await
}

/// Hands over page after page of it, until there is no more or nobody takes it.
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
        // By its id: a name may pass to another session meanwhile.
        params = Params { session: page.session_id, next: Some(page.next), ..params };
    }
}
