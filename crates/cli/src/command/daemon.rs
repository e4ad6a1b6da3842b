//! The processes behind the commands: launcher, keeper, daemon, child. Nobody types these.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use cotty_client::{Home, launch as launch_keeper, lock_keeper};
use cotty_pty::keeper::Keeper;
use cotty_server::{DaemonOptions, Listen};
use rustix::process::{Resource, Rlimit};
use tracing_subscriber::EnvFilter;

use crate::out;

/// What the keeper tells the daemon.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long)]
    listen: Option<SocketAddr>,
    #[arg(long)]
    open_files: Option<u64>,
    #[arg(long)]
    foreground: bool,
    #[command(flatten)]
    limits: Limits,
}

/// How much there may be.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Limits {
    /// Most live sessions in all (1000)
    #[arg(long, value_name = "N")]
    max_sessions: Option<usize>,
    /// Most live sessions of one owner (10)
    #[arg(long, value_name = "N")]
    max_per_owner: Option<usize>,
    /// How large a segment of a recording gets
    #[arg(long, value_name = "BYTES", hide = true)]
    segment_bytes: Option<usize>,
}

impl Limits {
    /// The same, for the daemon's command line.
    fn args(self) -> impl Iterator<Item = OsString> {
        let given = [
            ("--max-sessions", self.max_sessions),
            ("--max-per-owner", self.max_per_owner),
            ("--segment-bytes", self.segment_bytes),
        ];
        given.into_iter().filter_map(|(name, limit)| Some([name.into(), limit?.to_string().into()])).flatten()
    }
}

/// `cotty __launch`.
pub(crate) fn launch() -> anyhow::Result<ExitCode> {
    launch_keeper(&Home::open()?)?;
    Ok(ExitCode::SUCCESS)
}

/// `cotty __keeper`: in the background; its stdout is where the client waits.
pub(crate) fn keeper() -> anyhow::Result<ExitCode> {
    let home = Home::open()?;
    let ready = rustix::stdio::stdout().as_fd().try_clone_to_owned()?;
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    match prepare(&home) {
        Ok((lock, listen)) => keep(lock, Some(ready), listen, Limits::default(), false),
        Err(error) => {
            // The client reads the reason when this closes, so it stays open until the reason is written.
            std::mem::forget(ready);
            Err(error)
        }
    }
}

fn prepare(home: &Home) -> anyhow::Result<(OwnedFd, Option<SocketAddr>)> {
    let lock = lock_keeper(home)?;
    let listen = match std::env::var("COTTY_HTTP_LISTEN") {
        Ok(text) if !text.is_empty() => {
            Some(text.parse().map_err(|e| anyhow::anyhow!("COTTY_HTTP_LISTEN={text}: {e}"))?)
        }
        _ => None,
    };
    Ok((lock, listen))
}

/// Becomes the keeper.
pub(crate) fn keep(
    lock: OwnedFd,
    ready: Option<OwnedFd>,
    listen: Option<SocketAddr>,
    limits: Limits,
    foreground: bool,
) -> anyhow::Result<ExitCode> {
    // A relative COTTY_HOME was meant from here, and we leave.
    if let Some(home) = std::env::var_os("COTTY_HOME").filter(|h| !h.is_empty()) {
        let absolute = std::path::absolute(home)?;
        set_home(&absolute);
    }
    std::env::set_current_dir("/")?;
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let _ = rustix::process::setrlimit(
        Resource::Nofile,
        Rlimit { current: limit.maximum, maximum: limit.maximum },
    );
    let mut daemon_args: Vec<OsString> = vec!["__daemon".into()];
    if let Some(listen) = listen {
        daemon_args.extend(["--listen".into(), listen.to_string().into()]);
    }
    if let Some(soft) = limit.current {
        daemon_args.extend(["--open-files".into(), soft.to_string().into()]);
    }
    daemon_args.extend(limits.args());
    if foreground {
        daemon_args.push("--foreground".into());
    }
    let keeper = Keeper { exe: std::env::current_exe()?, daemon_args, ready, lock };
    Ok(if keeper.run()? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(unsafe_code, reason = "the environment is changed before any thread exists")]
fn set_home(home: &std::path::Path) {
    // SAFETY: the keeper is single-threaded.
    unsafe { std::env::set_var("COTTY_HOME", home) };
}

/// `cotty __daemon`.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    // Ctrl-C in the keeper's terminal is the keeper's to deal with.
    let _ = rustix::process::setsid();
    let filter = EnvFilter::try_from_env("COTTY_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let home = Home::open()?;
    let options = DaemonOptions {
        keeper: rustix::stdio::stdin().as_fd().try_clone_to_owned()?,
        socket: home.socket(),
        runtime_dir: home.runtime().to_owned(),
        state_dir: home.state().to_owned(),
        listen: args.listen.map_or(Listen::Anywhere, Listen::At),
        open_files: args.open_files,
        max_sessions: args.limits.max_sessions,
        max_per_owner: args.limits.max_per_owner,
        segment_bytes: args.limits.segment_bytes.map(|bytes| bytes as u64),
        on_ready: if args.foreground { greet } else { |_| {} },
    };
    // The kernel is asked after every turn: by default a session that prints without end would let the others wait for
    // sixty of its turns.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .event_interval(1)
        .enable_all()
        .build()?;
    runtime.block_on(cotty_server::daemon::run(options))?;
    Ok(ExitCode::SUCCESS)
}

fn greet(link: &str) {
    out::line(&format!("cotty is running. Ctrl-C ends it and all sessions.\n\n  page    {link}\n"));
    out::line(
        "In another terminal:\n  cotty                        a shell that agents and the page share; Ctrl-] d leaves it",
    );
    out::line("  cotty mcp                    the command for your agent's list of MCP servers");
}

/// `cotty __child`.
pub(crate) fn child() -> anyhow::Result<ExitCode> {
    Err(cotty_pty::child::run().into())
}
