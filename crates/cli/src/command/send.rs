use std::io::Read;
use std::process::ExitCode;

use cotty_protocol::op::send::{Params, Paste, Reply};

use super::{block_on, client};
use crate::out;

/// Type into a session: text, keys, or both in order
///
/// TEXT is typed unchanged, each line end as Enter; --enter presses Enter after it. Keys: enter, up, f5, ctrl+c, ^C,
/// <Esc> … --json prints the effect: `seq` to read or wait from, whether the program read the bytes within 80 ms
/// (`consumed`), whether the screen changed beyond the echo (`reacted`), and whether the shell started a command
/// (`submitted`).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty send build 'make all' --enter\n  cotty send build --key ctrl+c\n  \
                  cotty send editor --paste - < notes.txt\n  cotty send build --key up --key enter --json"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Text to type; `-` reads it from stdin
    text: Option<String>,
    /// Press Enter after the text
    #[arg(long, short = 'e')]
    enter: bool,
    /// A key to press, after the text; may be repeated
    #[arg(long, short)]
    key: Vec<String>,
    /// Always send the text as a bracketed paste; by default only several lines, if the program enabled it
    #[arg(long, requires = "text")]
    paste: bool,
    /// Print the effect as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut text = args.text;
    if text.as_deref() == Some("-") {
        let mut read = String::new();
        std::io::stdin().read_to_string(&mut read)?;
        text = Some(read);
    }
    let params = || Params { session: args.session.clone(), ..Params::default() };
    let paste = if args.paste { Paste::Always } else { Paste::Auto };
    let text =
        text.filter(|text| !text.is_empty()).map(|text| Params { text: Some(text), paste, ..params() });
    let keys = args.enter.then(|| "enter".to_owned()).into_iter().chain(args.key);
    let keys = keys.map(|key| Params { key: Some(key), ..params() });
    let mut inputs: Vec<Params> = text.into_iter().chain(keys).collect();
    if let Some(last) = inputs.last_mut() {
        last.observe = args.json;
    } else {
        anyhow::bail!("nothing to type: give a text, --enter or --key");
    }
    let client = client()?;
    let typed: Reply = block_on(async {
        let mut all: Option<Reply> = None;
        for input in &inputs {
            let typed: Reply = client.call(input).await?;
            all = Some(match all {
                Some(before) => Reply { bytes: before.bytes + typed.bytes, seq: before.seq, ..typed },
                None => typed,
            });
        }
        all.ok_or_else(|| anyhow::anyhow!("nothing was typed"))
    })?;
    if args.json {
        out::json(&typed)?;
    }
    Ok(ExitCode::SUCCESS)
}
