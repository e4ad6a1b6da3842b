use std::process::ExitCode;

use cotty_protocol::op::{create, destroy, read, wait};

use super::allow::Allow;
use super::{block_on, client};
use crate::out;

/// Run a command in a terminal of its own, print its output, and exit with its code
///
/// Its output is what a person would have seen: what scrolled off and the last screen, without what was overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty run -- git log\n  cotty run --cols 120 -- make test")]
pub(crate) struct Args {
    /// Columns
    #[arg(long, default_value_t = 80)]
    cols: u16,
    /// Rows
    #[arg(long, default_value_t = 24)]
    rows: u16,
    /// What its output may do beyond showing things: the terminal is the command's alone, so all of it
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT", default_values_t = Allow::ALL)]
    allow: Vec<Allow>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    block_on(async {
        let mut command = args.command.into_iter();
        let params = create::Params {
            program: command.next(),
            args: command.collect(),
            cols: Some(args.cols),
            rows: Some(args.rows),
            wait_ready: Some(false),
            allow: args.allow.into_iter().map(Allow::named).collect(),
            ..create::Params::default()
        };
        let made: create::Reply = client.call("create", &params).await?;
        let session = made.session_id;
        let ended = loop {
            // A day at a time: a wait always has an end, a command need not.
            let exit =
                cotty_protocol::op::Wait { exit: true, timeout_ms: Some(86_400_000), ..Default::default() };
            let waited: wait::Reply =
                client.call("wait", &wait::Params { session: session.clone(), wait: exit }).await?;
            if waited.exited {
                break waited;
            }
        };
        let all = read::Params { session: session.clone(), view: read::View::New, ..Default::default() };
        let output: read::Reply = client.call("read", &all).await?;
        let text = output.content.trim_end_matches('\n');
        if !text.is_empty() {
            out::line(text);
        }
        let gone = destroy::Params { session, force: false };
        let _: destroy::Reply = client.call("destroy", &gone).await?;
        // A signal has no code of its own; shells say 128 and its number.
        let code = ended.exit_code.or(ended.signal.map(|signal| 128 + signal));
        let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        Ok(ExitCode::from(code))
    })
}
