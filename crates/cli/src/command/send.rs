use std::process::ExitCode;

use cotty_protocol::op::send::{Params, Reply};

use super::{block_on, client};

/// Type into a session: text, keys, or both in order
///
/// Each TEXT is typed as it is; --enter presses Enter after it. Keys: enter, up, f5, ctrl+c, ^C, <Esc> …
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty send build 'make all' --enter\n  cotty send build --key ctrl+c")]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// Text to type
    text: Option<String>,
    /// Press Enter after the text
    #[arg(long, short = 'e')]
    enter: bool,
    /// A key to press, after the text; may be repeated
    #[arg(long, short)]
    key: Vec<String>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let mut inputs: Vec<Params> = Vec::new();
    let params = || Params { session: args.session.clone(), ..Params::default() };
    inputs.extend(args.text.as_ref().map(|text| Params { text: Some(text.clone()), ..params() }));
    let enter = args.enter.then(|| "enter".to_owned());
    inputs.extend(
        enter.into_iter().chain(args.key.iter().cloned()).map(|key| Params { key: Some(key), ..params() }),
    );
    anyhow::ensure!(!inputs.is_empty(), "nothing to type: give a text, --enter or --key");
    block_on(async {
        for input in &inputs {
            let _: Reply = client.call("send", input).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}
