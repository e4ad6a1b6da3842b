use std::process::ExitCode;
use std::time::Duration;

use cotty_client::{Client, Home, pipe};
use cotty_protocol::ActorKind;
use tokio::signal::unix::{SignalKind, signal};

use super::block_on;
use crate::advice;
use crate::out;

/// Speak MCP over stdin and stdout, for an agent
///
/// Set `cotty mcp` as the command of an MCP server in your agent's configuration. It starts the daemon if none is running,
/// and keeps working when the daemon is replaced. See docs/agents.md.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty mcp\n  cotty mcp --tools terminal,pty\n  cotty mcp --only terminal__create_session,terminal__run\n  cotty --host user@box mcp    # terminals on another machine"
)]
pub(crate) struct Args {
    /// The tool sets to offer: terminal, pty, panel, tui
    #[arg(long, value_name = "SET,…", value_delimiter = ',', default_value = "terminal")]
    tools: Vec<String>,
    /// Offer only these tools of the sets
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Longest duration of a call; increase it only if the client waits that long
    #[arg(long, value_name = "SECONDS", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    max_call: u32,
    /// Use a private daemon that ends with this command; its sessions and recordings are deleted
    #[arg(long)]
    ephemeral: bool,
    /// Panic at a line that contains this text
    #[cfg(debug_assertions)]
    #[arg(long, hide = true)]
    panic_at: Option<String>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Err(error) = cotty_server::check_tools(&args.tools, &args.only) {
        let hint = advice::for_error(&error).unwrap_or_default();
        out::note(&format!("cotty mcp: {error}\n       {hint}"));
        return Ok(ExitCode::from(out::USAGE));
    }
    let client = match args.ephemeral {
        true => Client::alone(ActorKind::Agent, "cotty mcp")?,
        false => Client::new(Home::open()?, ActorKind::Agent, "cotty mcp")?.on_lost(out::lost),
    };
    let options = pipe::mcp::Options {
        tools: args.tools,
        only: args.only,
        max_call: Some(Duration::from_secs(args.max_call.into())),
    };
    exit_on_panic();
    #[cfg(debug_assertions)]
    let input = Fragile { read: tokio::io::stdin(), at: args.panic_at.unwrap_or_default() };
    #[cfg(not(debug_assertions))]
    let input = tokio::io::stdin();
    block_on(async {
        let mut signals =
            [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
        let told_to_end = async {
            let [Ok(term), Ok(int), Ok(hup)] = &mut signals else { return std::future::pending().await };
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
                _ = hup.recv() => {}
            }
        };
        let code = match pipe::mcp::run(&client, options, input, tokio::io::stdout(), told_to_end).await {
            Ok(()) => 0,
            Err(error) => {
                out::failure(&error.into());
                1
            }
        };
        // Exit here: the runtime would wait for its stdin reader, which might block in a read.
        std::process::exit(code)
    })
}

/// Ends the process on a panic: otherwise the other tasks would wait for the one that panicked.
fn exit_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::exit(101);
    }));
}

/// Stdin that panics on request, for the test that a panic writes nothing to stdout.
#[cfg(debug_assertions)]
struct Fragile<R> {
    read: R,
    at: String,
}

#[cfg(debug_assertions)]
impl<R: tokio::io::AsyncRead + Unpin> tokio::io::AsyncRead for Fragile<R> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        let polled = std::pin::Pin::new(&mut self.read).poll_read(cx, buffer);
        let text = String::from_utf8_lossy(buffer.filled());
        assert!(self.at.is_empty() || !text.contains(&self.at), "told to panic at `{}`", self.at);
        polled
    }
}
