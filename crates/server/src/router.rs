//! One router for the Unix socket and for HTTP. Only the user may use the socket; HTTP needs a token. In both cases
//! the caller's [`Trust`] is determined here, before any handler sees the request.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::serve::IncomingStream;
use axum::{Router, middleware};
use cotty_protocol::ApiError;
use cotty_session::Hub;
use tokio::net::{TcpListener, UnixListener};

use crate::app::{App, BODY, refuse, too_large};
use crate::auth::admit;
use crate::connections::{self, Visit};
use crate::daemon::DaemonState;
use crate::face::{call, mcp, metrics, prove, rest, updates, view, web};
use crate::ops::now_ms;
use crate::trust::{Peer, Trust};

fn routes(app: &App) -> Router {
    Router::new()
        .route("/v1/call", post(call::call))
        .route("/v1/sessions/{session}/view", get(view::view))
        .route("/v1/updates", get(updates::updates))
        .merge(rest::routes())
        .merge(metrics::routes())
        .merge(mcp::routes(app))
        .method_not_allowed_fallback(rest::wrong_method)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn(refuse_large_body))
        .with_state(app.clone())
}

/// Serves processes of the same user on the Unix socket.
pub(crate) async fn serve_unix(listener: UnixListener, hub: Hub, daemon: Arc<DaemonState>) {
    let app = App { hub, daemon };
    let router = routes(&app)
        .route("/v1/mcp", post(mcp::upgrade).with_state(app.clone()))
        .fallback(rest::unknown)
        .layer(middleware::from_fn_with_state(app.clone(), same_user))
        .into_make_service_with_connect_info::<Connection>();
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the Unix socket failed");
    }
}

/// Serves the page to everyone on this machine, and everything else to callers with a token.
pub(crate) async fn serve_tcp(listener: TcpListener, hub: Hub, daemon: Arc<DaemonState>) {
    let app = App { hub, daemon };
    // An unknown path below /v1 gets our JSON error, not the page's 404.
    let guarded = routes(&app)
        .route("/v1/{*rest}", any(rest::unknown))
        .layer(middleware::from_fn_with_state(app.clone(), with_token));
    // The page has no token yet when it asks for a proof.
    let open = Router::new()
        .route("/v1/prove", post(prove::prove))
        .layer(DefaultBodyLimit::max(prove::BODY))
        .with_state(app.clone());
    connections::serve(listener, guarded.merge(open).fallback_service(web::router(app))).await;
}

/// A connection to the Unix socket, with the kernel's data about the peer process.
#[derive(Debug, Clone)]
struct Connection(Arc<Peer>);

impl Connected<IncomingStream<'_, UnixListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Connection {
        let credentials = stream.io().peer_cred().ok();
        let pid = credentials.and_then(|c| c.pid()).map(i32::cast_unsigned);
        // The keeper is our parent. If it is gone, every process seems to descend from it: callers are trusted less,
        // not more.
        let keeper = rustix::process::getppid().map_or(1, |pid| pid.as_raw_nonzero().get().cast_unsigned());
        // Now, not with the first request: by then the process may be gone and its pid reused.
        Connection(Arc::new(Peer::inspect(credentials.map(|c| c.uid()), pid, keeper)))
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
    let trust = Trust::of_peer(&peer, &app.hub).await;
    request.extensions_mut().insert(trust);
    next.run(request).await
}

async fn with_token(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let daemon = &app.daemon;
    // Before the credential is read: no change of it is missed.
    let rotated = daemon.page.rotation();
    match admit(request.headers(), &daemon.address, &daemon.page.key(), &daemon.tokens, now_ms()).await {
        Ok(trust) => {
            if let Some(visit) = request.extensions().get::<Visit>() {
                visit.admitted();
            }
            // A call may last long. Its answer must not reach a token that was revoked meanwhile.
            let revoked = daemon.revocation(&trust);
            let is_page = trust == Trust::Page;
            request.extensions_mut().insert(trust);
            let late = || refuse(ApiError::Unauthorized { reason: "the token was revoked".to_owned() });
            tokio::select! {
                response = next.run(request) => response,
                () = revoked => late(),
                () = rotated, if is_page => late(),
            }
        }
        Err(error) => turn_away(request, error).await,
    }
}

/// Refuses a request after reading its body, if that is small: a client that is cut off while it sends does not read
/// the reason.
async fn turn_away(request: Request, error: ApiError) -> Response {
    const READ_LIMIT: usize = 64 << 10;
    let _ =
        tokio::time::timeout(Duration::from_secs(1), axum::body::to_bytes(request.into_body(), READ_LIMIT))
            .await;
    refuse(error)
}

/// Refuses a body that is too large by its Content-Length, before reading it.
async fn refuse_large_body(request: Request, next: Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match length {
        Some(length) if BODY < length => refuse(too_large()),
        _ => next.run(request).await,
    }
}
