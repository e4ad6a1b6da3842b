mod last_screen;

use std::path::PathBuf;
use std::process::ExitCode;

use cotty_client::Client;
use cotty_protocol::op::{Wait, create, destroy, read, signal, wait};
use cotty_vt::Size;
use tokio::signal::unix::{Signal, SignalKind};

use self::last_screen::last_screen;
use super::allow::Allow;
use super::new::variable;
use super::recording::{self, Format};
use super::{block_on, client};
use crate::out;

/// Run a command in a terminal of its own, print its output, and exit with its code
///
/// Its output is what a person would have seen: what scrolled off and the last screen, without what was overwritten; of
/// a full-screen program its last screen. Nothing is typed into it. Ctrl-C goes to the command; a second one ends it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty run -- git log\n  cotty run --cols 120 -- make test\n  cotty run --record test.cast -- cargo test"
)]
pub(crate) struct Args {
    /// Columns
    #[arg(long, default_value_t = 80)]
    cols: u16,
    /// Rows
    #[arg(long, default_value_t = 24)]
    rows: u16,
    /// Write what it showed into this file, as an asciicast
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// A variable for it, besides your own; NAME alone passes yours on, also one that is held back as a secret
    #[arg(long, short, value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
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
        let mut signals = Signals::new()?;
        // Refused before anything is run.
        let record = args.record.as_deref().map(recording::create).transpose()?;
        let size = Size { cols: args.cols, rows: args.rows };
        let mut command = args.command.into_iter();
        let params = create::Params {
            program: command.next(),
            args: command.collect(),
            cols: Some(args.cols),
            rows: Some(args.rows),
            cwd: args.cwd,
            env: args.env.into_iter().collect(),
            wait_ready: Some(false),
            allow: args.allow.into_iter().map(Allow::named).collect(),
            ..create::Params::default()
        };
        let made: create::Reply = client.call(&params).await?;
        let session = made.session_id;
        let code = until_ended(&client, &session, &mut signals).await;
        let all = read::Params { session: session.clone(), view: read::View::New, ..Default::default() };
        let output: read::Reply = client.call(&all).await?;
        match output.content.trim().is_empty() {
            // Without a recording it cannot be known; the command ran all the same.
            true => out::screen(&last_screen(&client, &session, size).await.unwrap_or_default()),
            false => out::screen(&output.content),
        }
        let recorded = match record {
            Some(file) => recording::write(&client, &session, Format::Cast, file).await,
            None => Ok(()),
        };
        let gone = destroy::Params { session, force: false };
        let _: destroy::Reply = client.call(&gone).await?;
        recorded?;
        Ok(ExitCode::from(code?))
    })
}

/// Its exit code, once it has one or is told to end.
async fn until_ended(client: &Client, session: &str, signals: &mut Signals) -> anyhow::Result<u8> {
    let mut interrupted = false;
    // A day at a time: a wait always has an end, a command need not.
    let exit = Wait { exit: true, timeout_ms: Some(86_400_000), ..Default::default() };
    let exit = wait::Params { session: session.to_owned(), wait: exit };
    loop {
        tokio::select! {
            waited = client.call(&exit) => {
                let waited: wait::Reply = waited?;
                if waited.exited {
                    // A signal has no code of its own; shells say 128 and its number.
                    let code = waited.exit_code.or(waited.signal.map(|signal| 128 + signal));
                    return Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
                }
            }
            number = signals.next() => {
                if number != Signals::INT || std::mem::replace(&mut interrupted, true) {
                    return Ok(128 + number);
                }
                let pass_on = signal::Params { session: session.to_owned(), signal: Some("INT".into()) };
                let _: signal::Reply = client.call(&pass_on).await?;
            }
        }
    }
}

/// What asks us to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    const INT: u8 = 2;

    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::signal;
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The number of the next one.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Signals::INT,
            _ = self.terminate.recv() => 15,
            _ = self.hangup.recv() => 1,
        }
    }
}
