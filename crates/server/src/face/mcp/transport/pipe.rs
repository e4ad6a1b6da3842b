//! `cotty mcp`: a pipe that passes MCP's lines both ways, after one line that introduces the client.

use axum::extract::{Extension, Request, State};
use axum::response::Response;
use cotty_protocol::McpHello;
use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;

use super::unread_stdio::Paced;
use crate::app::App;
use crate::face::mcp::PROTOCOL;
use crate::face::mcp::handler;
use crate::face::mcp::server::{Open, Server, Transport};
use crate::face::mcp::sets::Offer;
use crate::pipe::{self, Pipe};
use crate::trust::Trust;

pub(crate) async fn upgrade(
    State(app): State<App>,
    Extension(trust): Extension<Trust>,
    request: Request,
) -> Response {
    pipe::upgrade(request, PROTOCOL, |hello, pipe| serve(app, trust, hello, pipe))
}

async fn serve(app: App, trust: Trust, hello: McpHello, pipe: Pipe) {
    let offer = match Offer::new(&hello.tools, &hello.only) {
        Ok(offer) => offer,
        Err(error) => return tracing::warn!(%error, "an MCP pipe asked for unknown tools"),
    };
    let longest_ms = hello.max_call_ms;
    let transport = Transport::Pipe {
        trust,
        instance: hello.instance,
        origin: hello.origin,
        open: Open::new(hello.open),
        gone: pipe.gone,
    };
    let lines = AsyncRwTransport::new_server(pipe.read, pipe.write);
    match handler(Server::new(app, transport, offer, longest_ms)).serve(Paced::new(lines)).await {
        Ok(service) => {
            let _ = service.waiting().await;
        }
        Err(error) => tracing::debug!(%error, "an MCP client disconnected before it initialized"),
    }
}
