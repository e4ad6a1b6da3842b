//! The internal commands: launcher, guard, keeper, daemon, child. cotty runs them itself.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use cotty_client::{Home, launch as launch_keeper, lock_keeper};
use cotty_pty::keeper::{Keeper, forbid_inspection};
use cotty_server::DaemonOptions;
use cotty_server::config::{Flag, Problem, Settings};
use rustix::process::{Resource, Rlimit};

use crate::log::{self, Log, Sink};
use crate::out;
use crate::settings::{self, Whose};

/// The options that the keeper passes to the daemon.
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

/// Limits.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Limits {
    /// Most live sessions in total; default: 1000
    #[arg(long, value_name = "N")]
    max_sessions: Option<usize>,
    /// Most live sessions per owner; default: 10
    #[arg(long, value_name = "N")]
    max_per_owner: Option<usize>,
    /// Size of a recording's segment
    #[arg(long, value_name = "BYTES", hide = true)]
    segment_bytes: Option<usize>,
}

impl Limits {
    fn given(self) -> impl Iterator<Item = Flag> {
        let given = [
            ("limits.max_sessions", "--max-sessions", self.max_sessions),
            ("limits.max_per_owner", "--max-per-owner", self.max_per_owner),
            ("recording.segment_size", "--segment-bytes", self.segment_bytes),
        ];
        given.into_iter().filter_map(|(key, name, limit)| Some(Flag { key, name, value: limit?.to_string() }))
    }
}

/// The flags that override file and environment.
pub(crate) fn flags(listen: Option<SocketAddr>, limits: Limits) -> Vec<Flag> {
    let listen =
        listen.map(|address| Flag { key: "http.listen", name: "--listen", value: address.to_string() });
    listen.into_iter().chain(limits.given()).collect()
}

/// Whether a guard ends the keeper with its only client.
#[derive(Debug, clap::Args)]
pub(crate) struct Guarded {
    #[arg(long)]
    guarded: bool,
}

/// `cotty __launch`.
pub(crate) fn launch(args: Guarded) -> anyhow::Result<ExitCode> {
    launch_keeper(&Home::open()?, args.guarded)?;
    Ok(ExitCode::SUCCESS)
}

/// `cotty __guard`.
pub(crate) fn guard() -> anyhow::Result<ExitCode> {
    cotty_client::guard(&Home::open()?)?;
    Ok(ExitCode::SUCCESS)
}

/// `cotty __keeper`: the keeper in the background. The client waits for the report on its stdout.
pub(crate) fn keeper(args: Guarded) -> anyhow::Result<ExitCode> {
    let home = Home::open()?;
    if args.guarded {
        // The keeper ends even if the guard is killed.
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    }
    let ready = rustix::stdio::stdout().as_fd().try_clone_to_owned()?;
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    match prepare(&home) {
        Ok(locks) => keep(locks, Some(ready), &[], false),
        Err(error) => {
            // The client reads the reason when `ready` closes, so it stays open until the reason is written.
            std::mem::forget(ready);
            Err(error)
        }
    }
}

/// Takes the keeper's locks, and refuses an invalid configuration.
fn prepare(home: &Home) -> anyhow::Result<Vec<OwnedFd>> {
    let locks = lock_keeper(home)?;
    settings::load(home, Whose::Clients, &[])?;
    Ok(locks)
}

/// Becomes the keeper.
pub(crate) fn keep(
    locks: Vec<OwnedFd>,
    ready: Option<OwnedFd>,
    flags: &[Flag],
    foreground: bool,
) -> anyhow::Result<ExitCode> {
    // A relative COTTY_HOME is relative to this directory, which we leave.
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
    daemon_args.extend(flags.iter().flat_map(|flag| [flag.name.into(), flag.value.clone().into()]));
    if let Some(soft) = limit.current {
        daemon_args.extend(["--open-files".into(), soft.to_string().into()]);
    }
    if foreground {
        daemon_args.push("--foreground".into());
    }
    let keeper = Keeper { exe: std::env::current_exe()?, daemon_args, ready, foreground, locks };
    Ok(if keeper.run()? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(unsafe_code, reason = "the environment is changed before any thread exists")]
fn set_home(home: &std::path::Path) {
    // SAFETY: the keeper is single-threaded.
    unsafe { std::env::set_var("COTTY_HOME", home) };
}

/// `cotty __daemon`.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    forbid_inspection()?;
    // The keeper started it by a descriptor, whose number would be its name.
    let _ = rustix::thread::set_name(c"cotty");
    // The keeper handles Ctrl-C in its terminal.
    let _ = rustix::process::setsid();
    let home = Home::open()?;
    let whose = if args.foreground { Whose::Daemons } else { Whose::Clients };
    let (config, mut problems) = settings::load_for_daemon(&home, whose, &flags(args.listen, args.limits));
    let log = start_log(&home, args.foreground, &config.settings, &mut problems)?;
    let options = DaemonOptions {
        keeper: rustix::stdio::stdin().as_fd().try_clone_to_owned()?,
        socket: home.socket(),
        second_socket: home.second_socket(),
        runtime_dir: home.runtime().to_owned(),
        state_dir: home.state().to_owned(),
        live_dir: home.live(),
        config,
        problems,
        open_files: args.open_files,
        on_ready: if args.foreground { greet } else { |_, _| {} },
    };
    // Poll the kernel after every task. By default a session with endless output would delay the others for sixty of its
    // turns.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .event_interval(1)
        .enable_all()
        .build()?;
    let served = runtime.block_on(cotty_server::daemon::run(options));
    log.flush();
    if let Err(error) = served {
        log::last_words(format!("cotty: {error}\n"));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts the log. If the configured file cannot be written, uses the default file, or else stderr.
fn start_log(
    home: &Home,
    foreground: bool,
    settings: &Settings,
    problems: &mut Vec<Problem>,
) -> anyhow::Result<Log> {
    let file = |path| Sink::File(path, settings.log_size);
    let usual = if foreground { Sink::Stderr } else { file(home.log()) };
    for sink in settings.log_file.clone().map(file).into_iter().chain([usual]) {
        match Log::start(sink, &settings.log_level) {
            Ok(log) => return Ok(log),
            Err(error) => problems.push(Problem::new("log.file", error.to_string())),
        }
    }
    Ok(Log::start(Sink::Stderr, &settings.log_level)?)
}

/// Prints the greeting on its own thread, because stdout might block.
fn greet(address: &str, link: &str) {
    // Whoever reads a log must not get in.
    let page = match rustix::termios::isatty(rustix::stdio::stdout()) {
        true => link.to_owned(),
        false => format!("{address}    (`cotty status --link` prints the link)"),
    };
    std::thread::spawn(move || print_greeting(&page));
}

fn print_greeting(page: &str) {
    out::line(&format!("cotty is running. Ctrl-C ends it and all sessions.\n\n  page    {page}\n"));
    out::line(
        "In another terminal:\n  cotty                        a shell that agents and the page share; Ctrl-] d leaves it",
    );
    out::line("  cotty mcp                    the command for your agent's list of MCP servers");
}

/// `cotty __child`.
pub(crate) fn child() -> anyhow::Result<ExitCode> {
    Err(cotty_pty::child::run().into())
}
