use std::process::ExitCode;

use cotty_protocol::op::wait::{Params, Reply};
use cotty_protocol::op::{Met, Wait};

use super::{block_on, client};
use crate::out;

/// Wait until something is true of a session
///
/// The first condition that holds wins; the program's end ends every wait. Exits with 0 if one held, and with 3 if the
/// time ran out.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty wait build --text 'Finished' --timeout 600\n  cotty wait build --prompt"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// This text appears
    #[arg(long)]
    text: Option<String>,
    /// A match of this regular expression appears
    #[arg(long)]
    regex: Option<String>,
    /// No output for this many milliseconds
    #[arg(long, value_name = "MS")]
    idle: Option<u64>,
    /// The shell waits for a command
    #[arg(long)]
    prompt: bool,
    /// The program ends
    #[arg(long)]
    exit: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    timeout: f64,
    /// Print everything that is known
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let timeout = std::time::Duration::try_from_secs_f64(args.timeout)?;
    let some = args.text.is_some() || args.regex.is_some() || args.idle.is_some() || args.prompt;
    let wait = Wait {
        text: args.text,
        regex: args.regex,
        idle_ms: args.idle,
        prompt: args.prompt,
        exit: args.exit || !some,
        timeout_ms: Some(u64::try_from(timeout.as_millis())?),
        ..Wait::default()
    };
    let params = Params { session: args.session, wait };
    let waited: Reply = block_on(async { Ok(client.call("wait", &params).await?) })?;
    if args.json {
        out::json(&waited)?;
    } else if let Some(why) = &waited.why {
        out::note(&format!("cotty: waited {} ms in vain: {why}", waited.elapsed_ms));
    }
    Ok(if waited.met == Met::Timeout { ExitCode::from(out::NO) } else { ExitCode::SUCCESS })
}
