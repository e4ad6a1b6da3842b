use std::process::ExitCode;
use std::time::Duration;

use cotty_protocol::op::wait::{Params, Reply};
use cotty_protocol::op::{Met, Wait};

use super::{block_on, client};
use crate::out;

/// Wait until something is true of a session
///
/// The first condition that holds wins; without one it is the program's end. Exits with 0 if one held, with 3 if the
/// time ran out or `--stop` matched, and with 4 if the program ended before, or the session is gone.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty wait build --text 'Finished' --timeout 600\n  cotty wait build --prompt\n  \
                  cotty wait build --exit && echo it ended\n  \
                  cotty wait build --regex 'error|warning' --since $(cotty send build make -e --json | jq .seq)"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// This text appears, or stands there already
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
    /// The program took what was typed and reads the terminal again: REPLs, questions
    #[arg(long)]
    reads: bool,
    /// No person has the keyboard
    #[arg(long)]
    keyboard: bool,
    /// All of the conditions hold at once, instead of any
    #[arg(long)]
    all: bool,
    /// A match of this regular expression ends the wait, whatever else is waited for: `error|failed`
    #[arg(long, value_name = "REGEX")]
    stop: Option<String>,
    /// Only what came after this much output counts: the `seq` that other commands answer with
    #[arg(long, value_name = "SEQ")]
    since: Option<u64>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// Print everything that is known
    #[arg(long)]
    json: bool,
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "write it in seconds, as 90 or 0.5".to_owned())?;
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
    let (code, said) = match waited.met {
        Met::Timeout => {
            let why = waited.why.as_deref().unwrap_or("it did not come");
            (ExitCode::from(out::NO), Some(format!("waited {} ms in vain: {why}", waited.elapsed_ms)))
        }
        Met::Stop => {
            let found = waited.matched.as_deref().unwrap_or_default();
            (ExitCode::from(out::NO), Some(format!("it was stopped by: {}", out::plain(found))))
        }
        Met::Exit if !exit => {
            let how = match (waited.exit_code, waited.signal) {
                (Some(code), _) => format!("exited with {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => "ended".to_owned(),
            };
            (ExitCode::from(out::GONE), Some(format!("its program {how} before that")))
        }
        _ => (ExitCode::SUCCESS, None),
    };
    if args.json {
        out::json(&waited)?;
    } else if let Some(said) = said {
        out::note(&format!("cotty: {said}"));
    }
    Ok(code)
}
