//! The daemon's life: take over what the keeper holds, listen, serve, end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::signal::unix::SignalKind;

use cotty_pty::{Event, KeeperError, Link};
use cotty_session::{Hub, HubOptions, RecordingLimits, Retention, SessionError};

use crate::auth::Token;
use crate::face;
use crate::metrics::Metrics;
use crate::tokens::Tokens;

/// The port of the page where none is asked for.
pub const DEFAULT_PORT: u16 = 7420;
/// The keeper's key for the listeners, and their slots.
const LISTENERS: &[u8] = b"listeners";
const UNIX: u8 = 0;
const TCP: u8 = 1;

/// Where the page is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listen {
    /// Here, or not at all.
    At(SocketAddr),
    /// At the default port, or at a free one if that is taken.
    Anywhere,
}

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
    /// Where the page is served.
    pub listen: Listen,
    /// The soft limit of open files that children go back to.
    pub open_files: Option<u64>,
    /// Live sessions in all; the usual limit where none is given.
    pub max_sessions: Option<usize>,
    /// Live sessions of one owner, likewise.
    pub max_per_owner: Option<usize>,
    /// How large a segment of a recording gets, where that is not the default.
    pub segment_bytes: Option<u64>,
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
    /// Any other address would need TLS.
    #[error("{0} is not a loopback address, and cotty does not speak TLS yet")]
    NotLoopback(SocketAddr),
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
pub(crate) struct Place {
    pub(crate) keeper_pid: u32,
    pub(crate) socket: PathBuf,
    /// `127.0.0.1:7420`.
    pub(crate) address: String,
    /// The same as a URL.
    pub(crate) http: String,
    pub(crate) token: Token,
    pub(crate) tokens: Tokens,
    pub(crate) metrics: Metrics,
    /// Where recordings lie.
    pub(crate) recordings: PathBuf,
}

impl Place {
    /// The page with its token, behind `#` so that no server and no log sees it.
    pub(crate) fn link(&self) -> String {
        format!("{}/#token={}", self.http, self.token.as_str())
    }
}

/// Serves until the keeper says that it is over.
pub async fn run(options: DaemonOptions) -> Result<(), DaemonError> {
    let hub = hub_options(&options);
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
    let tcp = match held.remove(&TCP) {
        Some(fd) => TcpListener::from(fd),
        None => {
            let listener = bind_tcp(options.listen)?;
            link.put(LISTENERS, TCP, listener.try_clone()?.into()).await?;
            listener
        }
    };
    let address = tcp.local_addr()?.to_string();
    let place = Arc::new(Place {
        keeper_pid,
        socket: options.socket,
        http: format!("http://{address}"),
        address,
        token: Token::load(&options.state_dir.join("token"))?,
        tokens: Tokens::at(options.state_dir.join("tokens")),
        metrics: Metrics::new(),
        recordings: hub.recordings_dir.clone(),
    });
    let hub = Hub::start(hub, link.clone()).await?;
    unix.set_nonblocking(true)?;
    tcp.set_nonblocking(true)?;
    tokio::spawn(face::http::serve_unix(
        tokio::net::UnixListener::from_std(unix)?,
        hub.clone(),
        Arc::clone(&place),
    ));
    tokio::spawn(face::http::serve_tcp(
        tokio::net::TcpListener::from_std(tcp)?,
        hub.clone(),
        Arc::clone(&place),
    ));
    link.ready().await?;
    // Not said again by one that takes over: nobody may be reading any more, and a full pipe would hold us up.
    if is_first {
        (options.on_ready)(&place.link());
    }
    while let Some(event) = events.recv().await {
        match event {
            Event::Exited { .. } => hub.keeper_says(&event).await,
            Event::Shutdown => {
                // Exits keep coming while the sessions end.
                let (ending, link) = (hub.clone(), link.clone());
                let place = Arc::clone(&place);
                tokio::spawn(async move {
                    ending.shutdown().await;
                    let _ = std::fs::remove_file(&place.socket);
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
    let usual = RecordingLimits::default();
    let segment_bytes = options.segment_bytes.unwrap_or(usual.segment_bytes);
    let recording = RecordingLimits { segment_bytes, ..usual };
    HubOptions {
        runtime_dir: options.runtime_dir.clone(),
        history_file: options.state_dir.join("bash_history"),
        recordings_dir: options.state_dir.join("recordings"),
        captures_dir: options.state_dir.join("captures"),
        recording,
        max_per_owner: options.max_per_owner.unwrap_or(10),
        max_total: options.max_sessions.unwrap_or(1000),
        history_lines: 10_000,
        retention: Retention::default(),
        agents_answer_secrets: false,
        prompt_pattern: r"\$\s*$|#\s*$|>\s*$".to_owned(),
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

fn bind_tcp(listen: Listen) -> Result<TcpListener, DaemonError> {
    let bind = |address: SocketAddr| {
        TcpListener::bind(address)
            .map_err(|error| DaemonError::Listen { address: address.to_string(), error })
    };
    match listen {
        Listen::At(address) if !address.ip().is_loopback() => Err(DaemonError::NotLoopback(address)),
        Listen::At(address) => bind(address),
        Listen::Anywhere => bind((Ipv4Addr::LOCALHOST, DEFAULT_PORT).into())
            .or_else(|_| bind((Ipv4Addr::LOCALHOST, 0).into())),
    }
}
