//! The daemon's life: take over what the keeper holds, listen, serve, end.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cotty_pty::{Event, KeeperError, Link};
use cotty_session::{Hub, HubOptions, SessionError};
use tokio::signal::unix::SignalKind;

use crate::auth::Token;
use crate::config::{Config, Problem, Source};
use crate::metrics::Metrics;
use crate::router;
use crate::tokens::Tokens;

/// The keeper's key for the listeners, and their slots.
const LISTENERS: &[u8] = b"listeners";
const UNIX: u8 = 0;
const TCP: u8 = 1;

/// Everything the daemon is told from outside.
#[derive(Debug)]
pub struct DaemonOptions {
    /// The socket to the keeper.
    pub keeper: OwnedFd,
    /// The Unix socket that clients connect to.
    pub socket: PathBuf,
    /// For what dies with the machine: fifos, the shells' files.
    pub runtime_dir: PathBuf,
    /// For what stays: the token, the history of agents' commands.
    pub state_dir: PathBuf,
    /// What is set.
    pub config: Config,
    /// What cannot be taken as it stands, and is left out.
    pub problems: Vec<Problem>,
    /// The soft limit of open files that children go back to.
    pub open_files: Option<u64>,
    /// Called with the page's link once the first daemon answers; not by those that take over from it.
    pub on_ready: fn(&str),
}

/// Why the daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The address is taken or not to be had.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which.
        address: String,
        /// Why.
        error: io::Error,
    },
    /// The address that somebody set is taken or not to be had.
    #[error(
        "cannot listen on {address}, which {chosen_by} says: {error}. Another port there, or 0 for any free one"
    )]
    Chosen {
        /// Which.
        address: SocketAddr,
        /// Who.
        chosen_by: String,
        /// Why.
        error: io::Error,
    },
    /// The keeper does not answer.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The sessions could not be taken over.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A file or descriptor.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Where this daemon is.
#[derive(Debug)]
pub(crate) struct DaemonState {
    pub(crate) keeper_pid: u32,
    pub(crate) socket: PathBuf,
    /// `127.0.0.1:7420`.
    pub(crate) address: String,
    /// The same as a URL.
    pub(crate) http: String,
    pub(crate) token: Token,
    pub(crate) tokens: Tokens,
    /// Who began which of MCP's own sessions.
    pub(crate) mcp_sessions: PathBuf,
    pub(crate) metrics: Metrics,
    /// Where recordings lie.
    pub(crate) recordings: PathBuf,
    /// What is set, and what of it could not be taken.
    pub(crate) config: Config,
    pub(crate) problems: Vec<Problem>,
}

impl DaemonState {
    /// The page with its token, behind `#` so that no server and no log sees it.
    pub(crate) fn link(&self) -> String {
        format!("{}/#token={}", self.http, self.token.as_str())
    }
}

/// Serves until the keeper says that it is over.
pub async fn run(options: DaemonOptions) -> Result<(), DaemonError> {
    let hub = hub_options(&options);
    for problem in &options.problems {
        tracing::error!("the configuration is not right, going on without: {problem}");
    }
    // A limit on the size of files is a full disk, not the end: with a handler the write fails instead.
    let _ = tokio::signal::unix::signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
    let (link, mut events) = Link::connect(options.keeper)?;
    let (_epoch, keeper_pid) = link.hello().await?;
    let mut held = link.take(LISTENERS).await.unwrap_or_default();
    let is_first = held.is_empty();
    let unix = match held.remove(&UNIX).filter(|_| options.socket.exists()) {
        Some(fd) => UnixListener::from(fd),
        None => {
            let listener = bind_unix(&options.socket)?;
            link.put(LISTENERS, UNIX, listener.try_clone()?.into()).await?;
            listener
        }
    };
    let (tcp, is_new) = listen(held.remove(&TCP).map(TcpListener::from), &options.config)?;
    if is_new {
        link.put(LISTENERS, TCP, tcp.try_clone()?.into()).await?;
    }
    let address = tcp.local_addr()?.to_string();
    let state = Arc::new(DaemonState {
        keeper_pid,
        socket: options.socket,
        http: format!("http://{address}"),
        address,
        token: Token::load(&options.state_dir.join("token"))?,
        tokens: Tokens::at(options.state_dir.join("tokens")),
        mcp_sessions: options.state_dir.join("mcp-sessions"),
        metrics: Metrics::new(),
        recordings: hub.recordings_dir.clone(),
        config: options.config,
        problems: options.problems,
    });
    let hub = Hub::start(hub, link.clone()).await?;
    unix.set_nonblocking(true)?;
    tcp.set_nonblocking(true)?;
    tokio::spawn(router::serve_unix(
        tokio::net::UnixListener::from_std(unix)?,
        hub.clone(),
        Arc::clone(&state),
    ));
    tokio::spawn(router::serve_tcp(tokio::net::TcpListener::from_std(tcp)?, hub.clone(), Arc::clone(&state)));
    link.ready().await?;
    // Not said again by one that takes over: nobody may be reading any more, and a full pipe would hold us up.
    if is_first {
        (options.on_ready)(&state.link());
    }
    while let Some(event) = events.recv().await {
        match event {
            Event::Exited { .. } => hub.keeper_says(&event).await,
            Event::Shutdown => {
                // Exits keep coming while the sessions end.
                let (ending, link) = (hub.clone(), link.clone());
                let state = Arc::clone(&state);
                tokio::spawn(async move {
                    ending.shutdown().await;
                    let _ = std::fs::remove_file(&state.socket);
                    let _ = link.stop().await;
                    std::process::exit(0);
                });
            }
            Event::Gone => break,
        }
    }
    tracing::error!("the keeper is gone, and nothing can be kept: ending");
    Ok(())
}

fn hub_options(options: &DaemonOptions) -> HubOptions {
    let settings = options.config.settings.clone();
    let at_home = |name: &str| options.state_dir.join(name);
    HubOptions {
        runtime_dir: options.runtime_dir.clone(),
        history_file: settings.agents_history_file.unwrap_or_else(|| at_home("bash_history")),
        recordings_dir: settings.recordings_dir.unwrap_or_else(|| at_home("recordings")),
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

/// Only one keeper holds the lock of this home, so a socket that lies there is stale.
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

/// The listener of the page, and whether it is another than the one that was held. Where nobody chose an address the
/// port may be any; one that was chosen is that or a refusal, which is no reason to give up one that works.
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
                tracing::error!(%address, source, %error, "cannot listen there: staying where we are");
                (held, false)
            }
        }),
        (None, None) => bind(address)
            .or_else(|error| {
                tracing::info!(%address, %error, "taking a free port instead");
                bind(SocketAddr::new(address.ip(), 0))
            })
            .map(|listener| (listener, true))
            .map_err(|error| DaemonError::Listen { address: address.to_string(), error }),
        (None, Some(source)) => bind(address)
            .map(|listener| (listener, true))
            .map_err(|error| DaemonError::Chosen { address, chosen_by: source, error }),
    }
}
