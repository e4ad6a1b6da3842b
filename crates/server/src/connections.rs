//! Connections over TCP: how many there may be, and how long each may be silent. Anyone on this machine can open one, so
//! a caller without a token must not use up the daemon's memory or descriptors.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// Most open connections.
const MOST: usize = 256;
/// Connections take at most this part of the descriptors. Sessions, files and the Unix socket have the rest.
const SHARE: usize = 8;
/// Most bytes of a request's head.
const HEAD_BYTES: usize = 32 << 10;

/// The answer to a connection that is one too many.
const TOO_MANY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
connection: close\r\ncontent-length: 101\r\n\r\n\
{\"error\":{\"code\":\"BUSY\",\"message\":\"too many connections are open\",\"hint\":\"close some, or try again\"}}";

/// How long a connection may make no progress.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// For a request's head, and for the request of a caller without a token.
    stranger: Duration,
    /// Between two requests.
    idle: Duration,
}

const LIMITS: Limits = Limits { stranger: Duration::from_secs(10), idle: Duration::from_secs(60) };

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waits for the rest of a request's head.
    Head,
    /// Serves a caller that has not shown a token.
    Stranger,
    /// Serves a caller with a token. It may take as long as it wants.
    Guest,
    /// Waits for the next request.
    Idle,
    /// Waits until a caller with a token reads the rest of its answer.
    Unread,
}

impl Limits {
    fn of(self, phase: Phase) -> Option<Duration> {
        match phase {
            Phase::Head | Phase::Stranger => Some(self.stranger),
            Phase::Idle => Some(self.idle),
            Phase::Guest | Phase::Unread => None,
        }
    }
}

/// How many connections may be open if the process may open so many files.
fn most(open_files: Option<u64>) -> usize {
    let files = open_files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    (files / SHARE).clamp(1, MOST)
}

/// Accepts and serves connections. One too many is refused at once.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    let room = Arc::new(Semaphore::new(most(getrlimit(Resource::Nofile).current)));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Most likely no descriptor is free. The other errors belong to one connection.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        match Arc::clone(&room).try_acquire_owned() {
            Ok(place) => drop(tokio::spawn(serve_one((stream, place), router.clone(), LIMITS))),
            Err(_) => refuse(&stream),
        }
    }
}

/// Answers without waiting. What has arrived is read first: otherwise the kernel would drop the answer.
fn refuse(stream: &TcpStream) {
    let _ = stream.try_read(&mut [0; 16 << 10]);
    let _ = stream.try_write(TOO_MANY.as_bytes());
}

/// Serves one connection until it ends or is silent for too long. `place` is held as long as the stream, also after an
/// upgrade to a WebSocket.
async fn serve_one<S, P>((stream, place): (S, P), router: Router, limits: Limits)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Unpin + Send + 'static,
{
    let (phase, phases) = watch::channel(Phase::Head);
    let visit = Visit(Arc::new(Inner { phase, known: AtomicBool::new(false) }));
    let stream = TokioIo::new(Watched { stream, visit: visit.clone(), _place: place });
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let ends = visit.begin();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(visit.clone());
        let answer = TowerToHyperService::new(router.clone()).call(request);
        async move { answer.await.map(|response| response.map(|body| WatchedBody { body, _ends: ends })) }
    });
    let served = http1::Builder::new().max_buf_size(HEAD_BYTES).serve_connection(stream, service);
    tokio::select! {
        _ = served.with_upgrades() => {}
        () = silence(phases, limits) => {}
    }
}

/// Completes when a phase has lasted too long.
async fn silence(mut phases: watch::Receiver<Phase>, limits: Limits) {
    loop {
        let limit = limits.of(*phases.borrow_and_update());
        let changed = match limit {
            Some(limit) => match tokio::time::timeout(limit, phases.changed()).await {
                Ok(changed) => changed,
                Err(_) => return,
            },
            None => phases.changed().await,
        };
        if changed.is_err() {
            return std::future::pending().await;
        }
    }
}

/// The state of one connection, which its requests change.
#[derive(Debug, Clone)]
pub(crate) struct Visit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    phase: watch::Sender<Phase>,
    /// Whether a request has shown a token.
    known: AtomicBool,
}

impl Visit {
    fn begin(&self) -> Ends {
        self.0.phase.send_replace(Phase::Stranger);
        Ends(self.clone())
    }

    /// The caller has shown a token.
    pub(crate) fn admitted(&self) {
        self.0.known.store(true, Ordering::Relaxed);
        self.0.phase.send_replace(Phase::Guest);
    }

    fn changes(&self, from: Phase, to: Phase) {
        self.0.phase.send_if_modified(|phase| {
            let changes = *phase == from;
            if changes {
                *phase = to;
            }
            changes
        });
    }

    fn has_read(&self) {
        self.changes(Phase::Idle, Phase::Head);
    }

    fn has_written(&self, all: bool) {
        match all {
            true => self.changes(Phase::Unread, Phase::Idle),
            false if self.0.known.load(Ordering::Relaxed) => self.changes(Phase::Idle, Phase::Unread),
            false => {}
        }
    }
}

/// Ends a request when it is dropped.
struct Ends(Visit);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.0.phase.send_replace(Phase::Idle);
    }
}

/// An answer's body. The request ends with it.
struct WatchedBody {
    body: Body,
    _ends: Ends,
}

impl HttpBody for WatchedBody {
    type Data = axum::body::Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that reports reads and writes to its [`Visit`].
struct Watched<S, P> {
    stream: S,
    visit: Visit,
    _place: P,
}

impl<S: AsyncRead + Unpin, P: Unpin> AsyncRead for Watched<S, P> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.visit.has_read();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin, P: Unpin> AsyncWrite for Watched<S, P> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.visit.has_written(polled.is_ready());
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.visit.has_written(polled.is_ready());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;
    use axum::http::StatusCode;
    use axum::http::header::{CONNECTION, HeaderName, UPGRADE};
    use axum::middleware::{self, Next};
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    /// Longer than any test waits.
    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn descriptors_remain_for_sessions_and_for_the_socket() {
        for (files, connections) in [
            (Some(24), 3),
            (Some(256), 32),
            (Some(1024), 128),
            (Some(1 << 20), 256),
            (None, 256),
            (Some(1), 1),
        ] {
            assert_eq!(most(files), connections, "{files:?}");
        }
    }

    #[test]
    fn the_refusal_has_the_length_that_it_names() {
        let (head, body) = TOO_MANY.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }

    /// Becomes a WebSocket, or what the test takes for one, that is silent for longer than the limits.
    async fn upgrade(mut request: Request) -> (StatusCode, [(HeaderName, &'static str); 2]) {
        let upgraded = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let mut stream = TokioIo::new(upgraded.await.unwrap());
            tokio::time::sleep(SHORT * 4).await;
            stream.write_all(b"late").await.unwrap();
        });
        (StatusCode::SWITCHING_PROTOCOLS, [(CONNECTION, "upgrade"), (UPGRADE, "test")])
    }

    /// `/` answers everyone; `/slow` needs four `SHORT` for a caller with a token, and for ever for others.
    fn router() -> Router {
        let slow = async || {
            tokio::time::sleep(SHORT * 4).await;
            "slow"
        };
        let admit = async |request: Request, next: Next| {
            if request.headers().contains_key("authorization") {
                request.extensions().get::<Visit>().unwrap().admitted();
            } else if request.uri().path() != "/" {
                return std::future::pending().await;
            }
            next.run(request).await
        };
        let large = async || "x".repeat(1 << 20);
        Router::new()
            .route("/", get("page"))
            .route("/slow", get(slow))
            .route("/large", get(large))
            .route("/upgrade", get(upgrade))
            .layer(middleware::from_fn(admit))
    }

    fn connect(limits: Limits) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(4096);
        tokio::spawn(serve_one((theirs, ()), router(), limits));
        ours
    }

    /// Sends, and returns everything that comes until the connection is closed.
    async fn all(stream: &mut DuplexStream, sent: &str) -> String {
        let _ = stream.write_all(sent.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn a_connection_that_makes_no_progress_is_closed() {
        let strangers = Limits { stranger: SHORT, idle: LONG };
        assert_eq!(all(&mut connect(strangers), "").await, "");
        assert_eq!(all(&mut connect(strangers), "GET / HTTP/1.1\r\nHost:").await, "");
        assert_eq!(all(&mut connect(strangers), "GET /slow HTTP/1.1\r\n\r\n").await, "");
        // After an answer: idle, or half of the next request.
        let idle = Limits { stranger: LONG, idle: SHORT };
        assert!(all(&mut connect(idle), "GET / HTTP/1.1\r\n\r\n").await.ends_with("page"));
        let mut next = connect(strangers);
        next.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = [0; 1024];
        assert!(next.read(&mut answer).await.unwrap() > 0);
        assert_eq!(all(&mut next, "GET / HT").await, "");
    }

    #[tokio::test]
    async fn a_caller_with_a_token_may_take_its_time() {
        let limits = Limits { stranger: SHORT, idle: SHORT };
        let slow = "GET /slow HTTP/1.1\r\nAuthorization: x\r\n\r\n";
        assert!(all(&mut connect(limits), slow).await.ends_with("slow"));
        let upgrade =
            "GET /upgrade HTTP/1.1\r\nAuthorization: x\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n";
        assert!(all(&mut connect(limits), upgrade).await.ends_with("late"));
        // It may also read slowly.
        let mut late = connect(limits);
        late.write_all(b"GET /large HTTP/1.1\r\nAuthorization: x\r\n\r\n").await.unwrap();
        tokio::time::sleep(SHORT * 4).await;
        assert!(all(&mut late, "").await.len() > 1 << 20);
    }

    #[tokio::test]
    async fn a_head_that_is_too_large_is_refused() {
        let limits = Limits { stranger: LONG, idle: LONG };
        let head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(HEAD_BYTES));
        assert!(all(&mut connect(limits), &head).await.starts_with("HTTP/1.1 431 "));
        let fits =
            format!("GET / HTTP/1.1\r\nConnection: close\r\nX: {}\r\n\r\n", "x".repeat(HEAD_BYTES / 2));
        assert!(all(&mut connect(limits), &fits).await.ends_with("page"));
    }
}
