use std::process::ExitCode;
use std::time::Duration;

use cotty_protocol::op::wait::{Params, Reply};
use cotty_protocol::op::{Met, Wait};

use super::{block_on, client};
use crate::out;

/// Wait until a condition holds for a session
///
/// The first condition that holds ends the wait; without a condition, the program's end does. Exits with 0 if a condition
/// held, with 3 if the wait timed out or `--stop` matched, and with 4 if the program ended first or the session is gone.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty wait build --text 'Finished' --timeout 600\n  cotty wait build --prompt\n  \
                  cotty wait build --exit && echo it ended\n  \
                  cotty wait build --regex 'error|warning' --since $(cotty send build make -e --json | jq .seq)"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// This text appears, or is already there
    #[arg(long)]
    text: Option<String>,
    /// A match of this regular expression appears
    #[arg(long)]
    regex: Option<String>,
    /// No output for this many milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    idle: Option<u64>,
    /// The shell waits for a command
    #[arg(long)]
    prompt: bool,
    /// The program ends
    #[arg(long)]
    exit: bool,
    /// The program asks for a secret
    #[arg(long)]
    secret: bool,
    /// The program has read the input and reads the terminal again (REPLs, prompts)
    #[arg(long)]
    reads: bool,
    /// No person has the keyboard
    #[arg(long)]
    keyboard: bool,
    /// All of the conditions hold at once, instead of any
    #[arg(long)]
    all: bool,
    /// A match of this regular expression ends the wait in any case, e.g. `error|failed`
    #[arg(long, value_name = "REGEX")]
    stop: Option<String>,
    /// Only output after this seq counts; other commands print it as `seq` with --json
    #[arg(long, value_name = "SEQ")]
    since: Option<u64>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// Print all details as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "must be a number of seconds, like 90 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    let mut wait = Wait {
        text: args.text,
        regex: args.regex,
        idle_ms: args.idle,
        prompt: args.prompt,
        exit: args.exit,
        secret: args.secret,
        reads: args.reads,
        keyboard: args.keyboard,
        all: args.all,
        stop: args.stop,
        since: args.since,
        timeout_ms: Some(u64::try_from(args.timeout.as_millis())?),
    };
    wait.exit |= !wait.has_condition();
    let exit = wait.exit;
    let params = Params { session: args.session, wait };
    let waited: Reply = block_on(async { Ok(client.call(&params).await?) })?;
    let (code, message) = match waited.met {
        Met::Timeout => {
            let why = waited.why.as_deref().unwrap_or("the condition did not hold");
            (ExitCode::from(out::NO), Some(format!("timed out after {} ms: {why}", waited.elapsed_ms)))
        }
        Met::Stop => {
            let found = waited.matched.as_deref().unwrap_or_default();
            (ExitCode::from(out::NO), Some(format!("`--stop` matched: {}", out::plain(found))))
        }
        Met::Exit if !exit => {
            let how = match (waited.exit_code, waited.signal) {
                (Some(code), _) => format!("exited with {code}"),
                (None, Some(signal)) => format!("was killed by signal {signal}"),
                (None, None) => "ended".to_owned(),
            };
            (ExitCode::from(out::GONE), Some(format!("the program {how} before the condition held")))
        }
        _ => (ExitCode::SUCCESS, None),
    };
    if args.json {
        out::json(&waited)?;
    } else if let Some(message) = message {
        out::note(&format!("cotty: {message}"));
    }
    Ok(code)
}
