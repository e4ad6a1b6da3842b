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

/// Run a command in its own terminal, print its output, and exit with its code
///
/// Prints what a person would have seen: history and last screen, without overwritten text; for a full-screen program, its
/// last screen. The command gets no input. Ctrl-C goes to the command; a second Ctrl-C ends it.
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
    /// Write a recording to this file, as an asciicast
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Set a variable; NAME alone passes your value on, even if cotty would withhold it as a secret
    #[arg(long, short, value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
    /// What the command's output may do besides being shown; everything by default, as nobody else uses the terminal
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
        // Fails before the command runs.
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
            // Without a recording the last screen is unknown; the command ran anyway.
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

/// Waits for the command's exit code, or for a signal that ends it.
async fn until_ended(client: &Client, session: &str, signals: &mut Signals) -> anyhow::Result<u8> {
    let mut interrupted = false;
    // A wait always has a timeout, so wait one day at a time.
    let exit = Wait { exit: true, timeout_ms: Some(86_400_000), ..Default::default() };
    let exit = wait::Params { session: session.to_owned(), wait: exit };
    loop {
        tokio::select! {
            waited = client.call(&exit) => {
                let waited: wait::Reply = waited?;
                if waited.exited {
                    // Like shells: 128 plus the number of the signal.
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

/// The signals that end this process.
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

    /// The number of the next signal.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Signals::INT,
            _ = self.terminate.recv() => 15,
            _ = self.hangup.recv() => 1,
        }
    }
}
