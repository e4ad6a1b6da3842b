//! One router on the Unix socket and on HTTP. The socket is the user's alone; HTTP needs a token. Either way it is settled
//! here who asks and how far that is believed, before anything else looks at a request.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::{Message, Utf8Bytes};
use axum::extract::{DefaultBodyLimit, Extension, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::serve::IncomingStream;
use axum::{Json, Router, middleware};
use cotty_protocol::{Answer, ApiError, Call, Caller, ErrorBody, Origin};
use cotty_session::Hub;
use tokio::net::{TcpListener, UnixListener};

use crate::auth::admit;
use crate::config::Usual;
use crate::daemon::Place;
use crate::face::{mcp, metrics, rest, updates, view, web};
use crate::ops::{self, Context, now_ms};
use crate::standing::{Peer, Standing};

/// Largest call.
pub(crate) const BODY: usize = 16 << 20;
/// Longest id of a request: it is written into the journal.
pub(crate) const REQUEST_ID: usize = 200;

/// What every handler needs.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) place: Arc<Place>,
}

impl App {
    /// The context of a call, with what the daemon believes of the caller.
    pub(crate) fn context(
        &self,
        standing: &Standing,
        caller: Caller,
        origin: Option<Origin>,
        request: String,
    ) -> Context {
        let origin = origin.unwrap_or_else(|| without_process(None));
        let cwd = Some(origin.cwd).filter(|dir| !dir.is_empty());
        Context {
            hub: self.hub.clone(),
            actor: standing.actor(caller, cwd.as_deref()),
            read_only: standing.read_only(),
            origin: cotty_session::Origin { cwd, env: origin.env },
            request,
            usual: Usual::default(),
            lane: None,
            viewer: None,
            place: Arc::clone(&self.place),
        }
    }
}

/// Where sessions begin that no process of the user's asked for: in the environment that the daemon was started in, as far
/// as it is the user's and not of a terminal or a program.
pub(crate) fn without_process(cwd: Option<String>) -> Origin {
    const USERS: &[&str] =
        &["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_RUNTIME_DIR"];
    let env = USERS.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    Origin { cwd: cwd.unwrap_or_default(), env: env.collect() }
}

fn routes(app: &App) -> Router {
    Router::new()
        .route("/v1/call", post(call))
        .route("/v1/sessions/{session}/view", get(view::view))
        .route("/v1/updates", get(updates::updates))
        .merge(rest::routes())
        .merge(metrics::routes())
        .merge(mcp::routes(app))
        .method_not_allowed_fallback(rest::wrong_method)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn(not_announced_too_large))
        .with_state(app.clone())
}

/// Serves whoever may open the socket and is the same user.
pub(crate) async fn serve_unix(listener: UnixListener, hub: Hub, place: Arc<Place>) {
    let app = App { hub, place };
    let router = routes(&app)
        .route("/v1/mcp", post(mcp::upgrade).with_state(app.clone()))
        .fallback(rest::unknown)
        .layer(middleware::from_fn_with_state(app.clone(), same_user))
        .into_make_service_with_connect_info::<Connection>();
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the Unix socket failed");
    }
}

/// Serves the page to anybody on this machine, and the rest to whoever has the token.
pub(crate) async fn serve_tcp(listener: TcpListener, hub: Hub, place: Arc<Place>) {
    let app = App { hub, place };
    // What begins like ours and is not gets an answer like ours, not the page's.
    let guarded = routes(&app)
        .route("/v1/{*rest}", any(rest::unknown))
        .layer(middleware::from_fn_with_state(app.clone(), with_token));
    let router = guarded.fallback_service(web::router(app));
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the HTTP listener failed");
    }
}

/// A connection to the Unix socket, with what the kernel knew of the process at its other end.
#[derive(Debug, Clone)]
struct Connection(Arc<Peer>);

impl Connected<IncomingStream<'_, UnixListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Connection {
        let credentials = stream.io().peer_cred().ok();
        let pid = credentials.and_then(|c| c.pid()).map(i32::cast_unsigned);
        // The keeper is our parent. Were it gone, everybody would seem to descend from it: less is believed, not more.
        let keeper = rustix::process::getppid().map_or(1, |pid| pid.as_raw_nonzero().get().cast_unsigned());
        // At once, not when a request comes: the process may be gone by then, and another have its id.
        Connection(Arc::new(Peer::look(credentials.map(|c| c.uid()), pid, keeper)))
    }
}

async fn same_user(
    State(app): State<App>,
    ConnectInfo(Connection(peer)): ConnectInfo<Connection>,
    mut request: Request,
    next: Next,
) -> Response {
    if peer.uid != Some(rustix::process::geteuid().as_raw()) {
        let reason = "this socket belongs to another user".to_owned();
        return turn_away(request, ApiError::Unauthorized { reason }).await;
    }
    let standing = Standing::of_peer(&peer, &app.hub).await;
    request.extensions_mut().insert(standing);
    next.run(request).await
}

async fn with_token(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let place = &app.place;
    match admit(request.headers(), &place.address, &place.token, &place.tokens, now_ms()).await {
        Ok(standing) => {
            // A call may last; what it would answer then is no longer for this token.
            let revoked = place.tokens.revocation(standing.token());
            request.extensions_mut().insert(standing);
            tokio::select! {
                response = next.run(request) => response,
                () = revoked => refuse(ApiError::Unauthorized { reason: "the token was revoked".to_owned() }),
            }
        }
        Err(error) => turn_away(request, error).await,
    }
}

/// Refuses after a small request was heard to its end: one that is cut off in the middle of it does not hear why.
async fn turn_away(request: Request, error: ApiError) -> Response {
    const HEARD: usize = 64 << 10;
    let _ =
        tokio::time::timeout(Duration::from_secs(1), axum::body::to_bytes(request.into_body(), HEARD)).await;
    refuse(error)
}

/// An error as a response of its own status.
pub(crate) fn refuse(error: ApiError) -> Response<Body> {
    let status =
        StatusCode::from_u16(error.code().http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(Answer::Error(in_plain_words(error)))).into_response()
}

/// An error for a caller whose tools are not known.
pub(crate) fn in_plain_words(error: ApiError) -> ErrorBody {
    let hint = error.advice().in_words(|step| Some(step.to_string()));
    ErrorBody::new(error, hint)
}

/// A text message whose bytes are shared with other sockets, not copied for this one.
pub(crate) fn shared_text(wire: Arc<[u8]>) -> Result<Message, axum::Error> {
    let text = Utf8Bytes::try_from(Bytes::from_owner(wire)).map_err(axum::Error::new)?;
    Ok(Message::Text(text))
}

/// Refuses a body by what is said of it, before it comes.
async fn not_announced_too_large(request: Request, next: Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match length {
        Some(length) if BODY < length => refuse(too_large()),
        _ => next.run(request).await,
    }
}

fn too_large() -> ApiError {
    ApiError::TooLarge { mib: BODY >> 20 }
}

/// The body of a request, unless it is too large.
pub(crate) fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => ApiError::invalid(format!("the body did not come: {}", rejection.body_text())),
    })
}

async fn call(
    State(app): State<App>,
    Extension(standing): Extension<Standing>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match whole(body) {
        Ok(body) => body,
        Err(error) => return refuse(error),
    };
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(error) => return refuse(ApiError::invalid(format!("not a call: {error}"))),
    };
    if call.request_id.is_empty() || call.request_id.len() > REQUEST_ID {
        return refuse(ApiError::invalid(format!("request_id has 1 to {REQUEST_ID} characters")));
    }
    let context = app.context(&standing, call.caller, call.origin, call.request_id);
    match ops::call(&call.op, context, call.params).await {
        Ok(reply) => Json(Answer::Ok(reply)).into_response(),
        Err(error) => refuse(error),
    }
}
