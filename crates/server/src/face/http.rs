//! One router on the Unix socket and on HTTP. The socket is the user's alone; HTTP needs the token.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::ws::{Message, Utf8Bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::IncomingStream;
use axum::{Json, Router, middleware};
use cotty_protocol::{ActorKind, Answer, Call, Caller, Code, Fault, Origin};
use cotty_session::{Actor, Hub};
use tokio::net::{TcpListener, UnixListener};

use crate::daemon::Place;
use crate::face::{mcp, updates, view, web};
use crate::ops::{self, Context};

/// Largest call.
const BODY: usize = 16 << 20;
/// Longest id of a request: it is written into the journal.
const REQUEST_ID: usize = 200;

/// What every handler needs.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) place: Arc<Place>,
}

impl App {
    /// The context of a call, with what the daemon believes of the caller.
    pub(crate) fn context(&self, caller: Caller, origin: Option<Origin>, request: String) -> Context {
        let origin = origin.unwrap_or_default();
        let cwd = Some(origin.cwd).filter(|dir| !dir.is_empty());
        let (kind, owner) = match caller.kind {
            ActorKind::Person => (cotty_session::ActorKind::Person, "person".to_owned()),
            ActorKind::Agent => {
                let owner = format!("{} in {}", caller.client, cwd.as_deref().unwrap_or("/"));
                (cotty_session::ActorKind::Agent, owner)
            }
            ActorKind::Child => (cotty_session::ActorKind::Child, "child".to_owned()),
        };
        Context {
            hub: self.hub.clone(),
            actor: Actor { kind, owner, client: caller.client },
            origin: cotty_session::Origin { cwd, env: origin.env },
            request,
            place: Arc::clone(&self.place),
        }
    }
}

fn routes(app: &App) -> Router {
    Router::new()
        .route("/v1/call", post(call))
        .route("/v1/sessions/{session}/view", get(view::view))
        .route("/v1/updates", get(updates::updates))
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(app.clone())
}

/// Serves whoever may open the socket and is the same user.
pub(crate) async fn serve_unix(listener: UnixListener, hub: Hub, place: Arc<Place>) {
    let app = App { hub, place };
    let router = routes(&app)
        .route("/v1/mcp", post(mcp::upgrade).with_state(app))
        .layer(middleware::from_fn(same_user))
        .into_make_service_with_connect_info::<Peer>();
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the Unix socket failed");
    }
}

/// Serves the page to anybody on this machine, and the rest to whoever has the token.
pub(crate) async fn serve_tcp(listener: TcpListener, hub: Hub, place: Arc<Place>) {
    let app = App { hub, place };
    let guarded = routes(&app).layer(middleware::from_fn_with_state(app.clone(), with_token));
    let router = guarded.fallback_service(web::router(app));
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the HTTP listener failed");
    }
}

/// The process at the other end of the Unix socket.
#[derive(Debug, Clone)]
struct Peer {
    uid: Option<u32>,
}

impl Connected<IncomingStream<'_, UnixListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Peer {
        Peer { uid: stream.io().peer_cred().ok().map(|cred| cred.uid()) }
    }
}

async fn same_user(ConnectInfo(peer): ConnectInfo<Peer>, request: Request, next: Next) -> Response {
    let me = rustix::process::geteuid().as_raw();
    match peer.uid {
        Some(uid) if uid == me || uid == 0 => next.run(request).await,
        _ => refuse(Fault::new(Code::Unauthorized, "this socket belongs to another user")),
    }
}

async fn with_token(State(app): State<App>, request: Request, next: Next) -> Response {
    match app.place.token.check(request.headers(), &app.place.address) {
        Ok(()) => next.run(request).await,
        Err(fault) => refuse(fault),
    }
}

/// A fault as a response of its own status.
pub(crate) fn refuse(fault: Fault) -> Response<Body> {
    let status = StatusCode::from_u16(fault.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(Answer::Error(fault))).into_response()
}

/// A text message whose bytes are shared with other sockets, not copied for this one.
pub(crate) fn shared_text(wire: Arc<[u8]>) -> Result<Message, axum::Error> {
    let text = Utf8Bytes::try_from(Bytes::from_owner(wire)).map_err(axum::Error::new)?;
    Ok(Message::Text(text))
}

async fn call(State(app): State<App>, body: Bytes) -> Response {
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(error) => return refuse(Fault::new(Code::InvalidInput, format!("not a call: {error}"))),
    };
    if call.request_id.is_empty() || call.request_id.len() > REQUEST_ID {
        return refuse(Fault::new(
            Code::InvalidInput,
            format!("request_id has 1 to {REQUEST_ID} characters"),
        ));
    }
    let context = app.context(call.caller, call.origin, call.request_id);
    match ops::call(&call.op, context, call.params).await {
        Ok(reply) => Json(Answer::Ok(reply)).into_response(),
        Err(fault) => refuse(fault),
    }
}
