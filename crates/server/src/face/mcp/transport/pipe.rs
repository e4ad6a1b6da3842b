//! `cotty mcp`: a pipe that passes MCP's lines both ways, after one line that introduces the client.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::{Extension, Request, State};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cotty_protocol::{ApiError, McpHello};
use hyper_util::rt::TokioIo;
use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, ReadBuf};

use super::unread_stdio::Paced;
use crate::app::{App, refuse};
use crate::face::mcp::PROTOCOL;
use crate::face::mcp::handler;
use crate::face::mcp::server::{Open, Server, Transport};
use crate::face::mcp::sets::Offer;
use crate::trust::Trust;

/// Longest first line: it carries an environment.
const HELLO: u64 = 4 << 20;

pub(crate) async fn upgrade(
    State(app): State<App>,
    Extension(trust): Extension<Trust>,
    mut request: Request,
) -> Response {
    if request.headers().get(UPGRADE).map(HeaderValue::as_bytes) != Some(PROTOCOL.as_bytes()) {
        return refuse(ApiError::invalid(format!("this path needs an upgrade to `{PROTOCOL}`")));
    }
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await {
            Ok(stream) => serve(app, trust, TokioIo::new(stream)).await,
            Err(error) => tracing::warn!(%error, "cannot upgrade an MCP pipe"),
        }
    });
    let headers = [(CONNECTION, "upgrade"), (UPGRADE, PROTOCOL)];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

async fn serve(app: App, trust: Trust, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
    let (read, write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let mut line = String::new();
    let limited = tokio::io::AsyncReadExt::take(&mut read, HELLO).read_line(&mut line).await;
    let hello: McpHello = match limited.map(|_| serde_json::from_str(&line)) {
        Ok(Ok(hello)) => hello,
        _ => return tracing::warn!("cannot read the first line of an MCP pipe"),
    };
    let offer = match Offer::new(&hello.tools, &hello.only) {
        Ok(offer) => offer,
        Err(error) => return tracing::warn!(%error, "an MCP pipe asked for unknown tools"),
    };
    let (here, gone) = tokio::sync::watch::channel(());
    let longest_ms = hello.max_call_ms;
    let transport = Transport::Pipe {
        trust,
        instance: hello.instance,
        origin: hello.origin,
        open: Open::new(hello.open),
        gone,
    };
    let lines = AsyncRwTransport::new_server(UntilGone { read, here: Some(here) }, write);
    match handler(Server::new(app, transport, offer, longest_ms)).serve(Paced::new(lines)).await {
        Ok(service) => {
            let _ = service.waiting().await;
        }
        Err(error) => tracing::debug!(%error, "an MCP client disconnected before it initialized"),
    }
}

/// A reader that drops `here` when its other end closes. The service alone would first finish the calls of a client
/// that is gone.
struct UntilGone<R> {
    read: R,
    here: Option<tokio::sync::watch::Sender<()>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilGone<R> {
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
