//! Pipes: connections that a client upgrades from HTTP to lines of another protocol. The first line introduces the client.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cotty_protocol::ApiError;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, ReadBuf, ReadHalf, WriteHalf};
use tokio::sync::watch;

use crate::app::refuse;

/// Longest first line: it carries an environment.
const HELLO: u64 = 4 << 20;

type Stream = TokioIo<Upgraded>;

/// A pipe after its first line.
pub(crate) struct Pipe {
    pub(crate) read: UntilGone,
    pub(crate) write: WriteHalf<Stream>,
    /// Closed when the client has closed its end.
    pub(crate) gone: watch::Receiver<()>,
}

/// Upgrades a request to `protocol`, reads the first line, and serves the pipe.
pub(crate) fn upgrade<H: DeserializeOwned + Send, F: Future<Output = ()> + Send>(
    mut request: Request,
    protocol: &'static str,
    serve: impl FnOnce(H, Pipe) -> F + Send + 'static,
) -> Response {
    if request.headers().get(UPGRADE).map(HeaderValue::as_bytes) != Some(protocol.as_bytes()) {
        return refuse(ApiError::invalid(format!("this path needs an upgrade to `{protocol}`")));
    }
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await {
            Ok(stream) => match begin(TokioIo::new(stream)).await {
                Some((hello, pipe)) => serve(hello, pipe).await,
                None => tracing::warn!(protocol, "cannot read the first line of a pipe"),
            },
            Err(error) => tracing::warn!(protocol, %error, "cannot upgrade a pipe"),
        }
    });
    let headers = [(CONNECTION, "upgrade"), (UPGRADE, protocol)];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

async fn begin<H: DeserializeOwned>(stream: Stream) -> Option<(H, Pipe)> {
    let (read, write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let mut line = String::new();
    (&mut read).take(HELLO).read_line(&mut line).await.ok()?;
    let hello = serde_json::from_str(&line).ok()?;
    let (here, gone) = watch::channel(());
    Some((hello, Pipe { read: UntilGone { read, here: Some(here) }, write, gone }))
}

/// A reader that drops `here` when its other end closes. The service alone would first finish the calls of a client
/// that is gone.
pub(crate) struct UntilGone {
    read: BufReader<ReadHalf<Stream>>,
    here: Option<watch::Sender<()>>,
}

impl AsyncRead for UntilGone {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.read).poll_read(cx, buffer);
        if matches!(polled, Poll::Ready(Err(_))) || (polled.is_ready() && buffer.filled().len() == before) {
            self.here = None;
        }
        polled
    }
}
