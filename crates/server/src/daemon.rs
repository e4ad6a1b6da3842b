//! The daemon's life cycle: take what the keeper holds, listen, serve, stop.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cotty_pty::wire::LAST_WORDS;
use cotty_pty::{Event, KeeperError, Link};
use cotty_session::{Hub, HubOptions, SessionError};
use rustix::process::{Pid, Signal};
use tokio::signal::unix::SignalKind;

use crate::config::{Config, Problem, Source};
use crate::metrics::Metrics;
use crate::page::{self, Page};
use crate::restore;
use crate::retries::Retries;
use crate::router;
use crate::tokens::Tokens;
use crate::trust::Trust;

/// The keeper's key for the listeners, and their slots.
const LISTENERS: &[u8] = b"listeners";
const UNIX: u8 = 0;
const TCP: u8 = 1;
const SECOND_UNIX: u8 = 2;

/// Everything the daemon gets from outside.
#[derive(Debug)]
pub struct DaemonOptions {
    /// The socket to the keeper.
    pub keeper: OwnedFd,
    /// The Unix socket that clients connect to.
    pub socket: PathBuf,
    /// A second one in the state directory, for clients that do not find the first: the runtime directory may vanish, or be
    /// another one for them.
    pub second_socket: Option<PathBuf>,
    /// For files that need not survive a reboot: FIFOs, shell integration.
    pub runtime_dir: PathBuf,
    /// For files that survive a reboot: hashes of tokens, the history of agents' commands.
    pub state_dir: PathBuf,
    /// For a file for each live session.
    pub live_dir: PathBuf,
    /// The settings and their sources.
    pub config: Config,
    /// Invalid settings, which are ignored.
    pub problems: Vec<Problem>,
    /// The soft limit of open files to restore for child processes.
    pub open_files: Option<u64>,
    /// Called with the page's address and its link when the first daemon is ready. Its successors do not call it.
    pub on_ready: fn(&str, &str),
}

/// Why the daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The address is in use or not available.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: String,
        /// The cause.
        error: io::Error,
    },
    /// The configured address is in use or not available.
    #[error(
        "cannot listen on {address}, set by {chosen_by}: {error}. Set another port, or 0 for any free port"
    )]
    Chosen {
        /// The address.
        address: SocketAddr,
        /// The source of the setting.
        chosen_by: String,
        /// The cause.
        error: io::Error,
    },
    /// The keeper does not answer.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The sessions could not be adopted.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A file or descriptor operation failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The daemon's addresses, tokens and configuration.
#[derive(Debug)]
pub(crate) struct DaemonState {
    pub(crate) keeper: Link,
    pub(crate) keeper_pid: u32,
    /// Why the last daemon that failed to start did so.
    pub(crate) last_failure: Option<String>,
    pub(crate) socket: PathBuf,
    pub(crate) second_socket: Option<PathBuf>,
    /// `127.0.0.1:7420`.
    pub(crate) address: String,
    /// `address` as a URL.
    pub(crate) http: String,
    pub(crate) page: Page,
    pub(crate) retries: Retries,
    pub(crate) tokens: Tokens,
    /// Directory that stores which caller owns which MCP session.
    pub(crate) mcp_sessions: PathBuf,
    pub(crate) metrics: Metrics,
    /// Directory of the recordings.
    pub(crate) recordings: PathBuf,
    /// The settings, and the invalid ones that were ignored.
    pub(crate) config: Config,
    pub(crate) problems: Vec<Problem>,
}

impl DaemonState {
    /// Tells the keeper to replace the daemon (USR1) or to end (TERM).
    pub(crate) fn signal_keeper(&self, signal: Signal) {
        if let Some(keeper) = Pid::from_raw(self.keeper_pid.cast_signed()) {
            let _ = rustix::process::kill_process(keeper, signal);
        }
    }

    /// The page's URL with its credential after `#`, so that no server and no log sees it.
    pub(crate) fn link(&self) -> String {
        format!("{}/#key={}", self.http, self.page.key())
    }

    /// Completes when what let this caller in is revoked.
    pub(crate) fn revocation(&self, trust: &Trust) -> impl Future<Output = ()> + Send + use<> {
        let rotated = matches!(trust, Trust::Page).then(|| self.page.rotation());
        let revoked = self.tokens.revocation(trust.token());
        async move {
            match rotated {
                Some(rotated) => rotated.await,
                None => revoked.await,
            }
        }
    }
}

/// Serves until the keeper says to stop or is gone.
pub async fn run(options: DaemonOptions) -> Result<(), DaemonError> {
    let hub = hub_options(&options);
    for problem in &options.problems {
        tracing::error!("ignoring an invalid setting: {problem}");
    }
    // Without a handler, SIGXFSZ ends the daemon at a file size limit. With one, the write fails as on a full disk.
    let _ = tokio::signal::unix::signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    let (link, mut events) = Link::connect(options.keeper)?;
    let (_epoch, keeper_pid) = link.hello().await?;
    let mut held = link.take(LISTENERS).await.unwrap_or_default();
    let is_first = held.is_empty();
    let unix = listen_unix(&link, UNIX, held.remove(&UNIX), &options.socket).await?;
    let second = match &options.second_socket {
        Some(path) => listen_unix(&link, SECOND_UNIX, held.remove(&SECOND_UNIX), path).await.ok(),
        None => None,
    };
    let (tcp, is_new) = listen(held.remove(&TCP).map(TcpListener::from), &options.config)?;
    if is_new {
        link.put(LISTENERS, TCP, tcp.try_clone()?.into()).await?;
    }
    let address = tcp.local_addr()?.to_string();
    page::remove_old_token(&options.state_dir);
    let state = Arc::new(DaemonState {
        keeper: link.clone(),
        keeper_pid,
        last_failure: last_words(&link).await?,
        socket: options.socket,
        second_socket: options.second_socket,
        http: format!("http://{address}"),
        page: Page::take(link.clone(), &address).await?,
        retries: Retries::take(link.clone()).await?,
        address,
        tokens: Tokens::at(options.state_dir.join("tokens")),
        mcp_sessions: options.state_dir.join("mcp-sessions"),
        metrics: Metrics::new(),
        recordings: hub.recordings_dir.clone(),
        config: options.config,
        problems: options.problems,
    });
    let hub = Hub::start(hub, link.clone()).await?;
    tcp.set_nonblocking(true)?;
    for listener in [Some(unix), second].into_iter().flatten() {
        serve_unix(listener, &hub, &state)?;
    }
    let (serving, listening) = ((hub.clone(), Arc::clone(&state)), link.clone());
    tokio::spawn(restore::watch(options.runtime_dir, hub.clone(), async move || {
        let (hub, state) = &serving;
        if !state.socket.exists() {
            let listener =
                listen_unix(&listening, UNIX, None, &state.socket).await.map_err(io::Error::other)?;
            serve_unix(listener, hub, state)?;
        }
        Ok(())
    }));
    tokio::spawn(router::serve_tcp(tokio::net::TcpListener::from_std(tcp)?, hub.clone(), Arc::clone(&state)));
    link.ready().await?;
    // Only the first daemon prints the link: later the pipe may have no reader, and a full pipe would block us.
    if is_first {
        (options.on_ready)(&state.http, &state.link());
    }
    while let Some(event) = events.recv().await {
        match event {
            Event::Exited { .. } => hub.handle_keeper_event(&event).await,
            Event::Shutdown => {
                // Exit events still arrive while the sessions end.
                let (ending, link) = (hub.clone(), link.clone());
                let state = Arc::clone(&state);
                tokio::spawn(async move {
                    ending.shutdown().await;
                    for socket in [Some(&state.socket), state.second_socket.as_ref()].into_iter().flatten() {
                        let _ = std::fs::remove_file(socket);
                    }
                    let _ = link.stop().await;
                    std::process::exit(0);
                });
            }
            Event::Gone => break,
        }
    }
    tracing::error!("the keeper is gone; stopping the daemon");
    Ok(())
}

/// Why the last daemon that failed to start did so, from the keeper.
async fn last_words(link: &Link) -> Result<Option<String>, KeeperError> {
    let entries = link.list().await?;
    let Some(words) = entries.iter().find(|entry| entry.key == LAST_WORDS) else { return Ok(None) };
    // Told once: the next daemon must not report it again.
    link.forget(LAST_WORDS).await?;
    Ok(Some(String::from_utf8_lossy(&words.blob).into_owned()))
}

fn hub_options(options: &DaemonOptions) -> HubOptions {
    let settings = options.config.settings.clone();
    let at_home = |name: &str| options.state_dir.join(name);
    HubOptions {
        runtime_dir: options.runtime_dir.clone(),
        history_file: settings.agents_history_file.unwrap_or_else(|| at_home("bash_history")),
        recordings_dir: settings.recordings_dir.unwrap_or_else(|| at_home("recordings")),
        live_dir: options.live_dir.clone(),
        captures_dir: settings.captures_dir.unwrap_or_else(|| at_home("captures")),
        recording: settings.recording,
        max_per_owner: settings.max_per_owner,
        max_total: settings.max_sessions,
        terminal: settings.terminal,
        record: settings.record,
        retention: settings.retention,
        agents_answer_secrets: settings.agents_answer_secrets,
        open_files: options.open_files,
    }
}

/// The listener at this path: the one that the keeper holds, or a new one if the path is gone.
async fn listen_unix(
    link: &Link,
    slot: u8,
    held: Option<OwnedFd>,
    path: &Path,
) -> Result<UnixListener, DaemonError> {
    if let Some(held) = held.filter(|_| path.exists()) {
        return Ok(UnixListener::from(held));
    }
    let listener = bind_unix(path)?;
    link.put(LISTENERS, slot, listener.try_clone()?.into()).await?;
    Ok(listener)
}

fn serve_unix(listener: UnixListener, hub: &Hub, state: &Arc<DaemonState>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    tokio::spawn(router::serve_unix(listener, hub.clone(), Arc::clone(state)));
    Ok(())
}

/// Binds the Unix socket. Only one keeper holds the lock of this home, so an existing socket is stale.
fn bind_unix(path: &Path) -> Result<UnixListener, DaemonError> {
    let refused = |error| DaemonError::Listen { address: path.display().to_string(), error };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(refused)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// The HTTP listener, and whether it is new. If no address is configured, any port will do. If a configured address
/// is not available, a listener that works is kept; without one, it is an error.
fn listen(held: Option<TcpListener>, config: &Config) -> Result<(TcpListener, bool), DaemonError> {
    let address = config.settings.listen;
    let bind = |address: SocketAddr| TcpListener::bind(address);
    let source = match config.source("http.listen") {
        Source::BuiltIn => None,
        source => Some(source.to_string()),
    };
    match (held, source) {
        (Some(held), None) => Ok((held, false)),
        (Some(held), Some(_)) if address.port() == 0 || held.local_addr()? == address => Ok((held, false)),
        (Some(held), Some(source)) => Ok(match bind(address) {
            Ok(listener) => (listener, true),
            Err(error) => {
                tracing::error!(%address, source, %error, "cannot listen on the configured address; keeping the current one");
                (held, false)
            }
        }),
        (None, None) => bind(address)
            .or_else(|error| {
                tracing::info!(%address, %error, "cannot listen on the default address; taking a free port");
                bind(SocketAddr::new(address.ip(), 0))
            })
            .map(|listener| (listener, true))
            .map_err(|error| DaemonError::Listen { address: address.to_string(), error }),
        (None, Some(source)) => bind(address)
            .map(|listener| (listener, true))
            .map_err(|error| DaemonError::Chosen { address, chosen_by: source, error }),
    }
}
