//! MCP: the tools that agents see, over the operations.
//!
//! `cotty mcp` is a pipe: it connects to `/v1/mcp` on the Unix socket, says in one line who and where it is
//! ([`Hello`]), and from then on passes MCP's own lines both ways. The server is here, in the daemon, so a pipe that
//! lives for days always speaks to the newest tools.

mod panel;
mod pty;
mod schema;
mod sets;
mod terminal;
mod tool;
mod tui;

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use axum::extract::{Extension, Request, State};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cotty_protocol::{ActorKind, Caller, Code, Fault, McpHello};
use cotty_session::Present;
use hyper_util::rt::TokioIo;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, ReadBuf};

use self::sets::Offer;
use self::tool::{Call, LONGEST_CALL_MS};
use crate::face::http::{App, refuse};
use crate::ops;
use crate::standing::Standing;

/// What a pipe asks to become.
pub(crate) const PROTOCOL: &str = "cotty-mcp";
/// Longest first line: it carries an environment.
const HELLO: u64 = 4 << 20;

pub(crate) async fn upgrade(
    State(app): State<App>,
    Extension(standing): Extension<Standing>,
    mut request: Request,
) -> Response {
    if request.headers().get(UPGRADE).map(HeaderValue::as_bytes) != Some(PROTOCOL.as_bytes()) {
        return refuse(Fault::new(
            Code::InvalidInput,
            format!("this path speaks `{PROTOCOL}` after an upgrade"),
        ));
    }
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await {
            Ok(stream) => serve(app, standing, TokioIo::new(stream)).await,
            Err(error) => tracing::warn!(%error, "an MCP pipe was not upgraded"),
        }
    });
    let headers = [(CONNECTION, "upgrade"), (UPGRADE, PROTOCOL)];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

async fn serve(app: App, standing: Standing, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
    let (read, write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let mut line = String::new();
    let limited = tokio::io::AsyncReadExt::take(&mut read, HELLO).read_line(&mut line).await;
    let hello: McpHello = match limited.map(|_| serde_json::from_str(&line)) {
        Ok(Ok(hello)) => hello,
        _ => return tracing::warn!("an MCP pipe did not say hello"),
    };
    let offer = match Offer::new(&hello.tools, &hello.only) {
        Ok(offer) => Arc::new(offer),
        Err(fault) => return tracing::warn!(%fault, "an MCP pipe asked for tools that there are not"),
    };
    let (here, gone) = tokio::sync::watch::channel(());
    let server = Server { app, standing, hello: Arc::new(hello), offer, gone, present: OnceLock::new() };
    match server.serve((Presence { read, here: Some(here) }, write)).await {
        Ok(service) => {
            let _ = service.waiting().await;
        }
        Err(error) => tracing::debug!(%error, "an MCP client went away before it began"),
    }
}

/// A reader that lets go of something when its other end is closed. The service itself would first let the calls of a
/// client that is gone come to their ends.
struct Presence<R> {
    read: R,
    here: Option<tokio::sync::watch::Sender<()>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Presence<R> {
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

struct Server {
    app: App,
    standing: Standing,
    hello: Arc<McpHello>,
    offer: Arc<Offer>,
    /// Ends when the pipe does.
    gone: tokio::sync::watch::Receiver<()>,
    /// Its owner has a client as long as this lives; who that is, is known with the first call.
    present: OnceLock<Present>,
}

impl Server {
    fn context(&self, context: &RequestContext<RoleServer>) -> ops::Context {
        let client = context.client_info().map_or_else(|| "mcp".to_owned(), |info| info.name.clone());
        let caller = Caller { kind: ActorKind::Agent, client };
        // The pipe sends a request again, with the same id, to the daemon that comes after a crash.
        // As JSON: `5` and `"5"` are two requests.
        let id = serde_json::to_string(&context.id).unwrap_or_default();
        let request = format!("mcp:{}:{id}", self.hello.instance);
        let context = self.app.context(&self.standing, caller, Some(self.hello.origin.clone()), request);
        self.present.get_or_init(|| self.app.hub.present(&context.actor.owner));
        context
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cotty", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.offer.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offer.find(name).map(|(_, tool)| tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((entry, described)) = self.offer.find(&request.name) else {
            let names: Vec<&str> = self.offer.tools().map(|tool| tool.name.as_ref()).collect();
            let message = format!("there is no tool `{}`; there are: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments: JsonObject = request.arguments.unwrap_or_default();
        if let Err(fault) = tool::check_names(&described.input_schema, &arguments, entry.name) {
            return Ok(tool::refusal(&fault).into());
        }
        let longest_ms = self.hello.max_call_ms.unwrap_or(LONGEST_CALL_MS);
        let calling = entry.call(Call { context: self.context(&context), longest_ms }, arguments);
        let mut gone = self.gone.clone();
        // Cancelling a call ends its waiting, never the program.
        tokio::select! {
            result = calling => Ok(result.into()),
            _ = gone.changed() => Err(ErrorData::internal_error("the client is gone", None)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}
