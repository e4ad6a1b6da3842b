//! MCP over HTTP: `/mcp`. Clients up to 2025-11-25 have a session there, those since 2026-07-28 send independent
//! requests. The caller is already admitted (by a token, or the user's own socket); it always acts as an agent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Query, Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use axum::routing::any;
use cotty_protocol::ApiError;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{
    SessionId, SessionManager, StreamableHttpServerConfig, StreamableHttpService,
};
use tokio::sync::Mutex;

use crate::app::{App, BODY, refuse};
use crate::face::mcp::contract::tool::longest;
use crate::face::mcp::handler;
use crate::face::mcp::server::{Server, Transport};
use crate::face::mcp::sets::Offer;
use crate::face::mcp::subscriptions::Arrived;
use crate::face::mcp::transport::http_sessions::{Begun, SILENCE};
use crate::face::mcp::transport::posted;
use crate::face::mcp::transport::unread_http::{Granted, SlotsByTrust};
use crate::trust::Trust;

/// Query parameters, and the headers that mean the same.
const TOOLS: (&str, &str) = ("tools", "cotty-tools");
const ONLY: (&str, &str) = ("only", "cotty-only");
const MAX_CALL: (&str, &str) = ("max_call_ms", "cotty-max-call-ms");

/// The header that names the session of an older client.
const SESSION: &str = "mcp-session-id";

#[derive(Clone)]
struct Endpoint {
    app: App,
    sessions: Arc<LocalSessionManager>,
    /// Held while a session of an earlier daemon is restored: two at once would conflict.
    restoring: Arc<Mutex<()>>,
    slots: SlotsByTrust,
}

pub(crate) fn routes(app: &App) -> Router<App> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    // With a retry time, a client would resume a stream for ever, even with a daemon that does not know its call.
    sessions.session_config.sse_retry = None;
    // Sent answers are not kept for clients that ask again: they can be large.
    sessions.session_config.completed_cache_ttl = Duration::ZERO;
    let endpoint = Endpoint {
        app: app.clone(),
        sessions: Arc::new(sessions),
        restoring: Arc::default(),
        slots: SlotsByTrust::default(),
    };
    Router::new().route("/mcp", any(answer)).with_state(endpoint)
}

async fn answer(
    State(Endpoint { app, sessions, restoring, slots }): State<Endpoint>,
    Extension(trust): Extension<Trust>,
    mut request: Request,
) -> Response {
    request.extensions_mut().insert(Arrived(Instant::now()));
    let asked = ToolQuery::of(request.uri(), request.headers());
    let offered = asked.and_then(|asked| Ok((Offer::new(&asked.tools, &asked.only)?, asked.max_call_ms)));
    let (offer, longest_ms) = match offered {
        Ok(offered) => offered,
        Err(error) => return refuse(error),
    };
    let begun = Begun::new(&app.daemon.mcp_sessions, &trust, Arc::clone(&sessions));
    let session = request.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(SessionId::from);
    if let Some(id) = &session
        && !begun.has(id).await
    {
        // As if it did not exist: clients then begin a new session.
        return refuse(ApiError::NoMcpSession);
    }
    let (request, message) = match posted::read_message(request).await {
        Ok(looked_at) => looked_at,
        Err(response) => return response,
    };
    let slot = match message.as_ref().is_some_and(|message| message.is_large) {
        true => match slots.take(&trust, longest(longest_ms)).await {
            Ok(slot) => Some(slot),
            Err(error) => return refuse(error),
        },
        false => None,
    };
    let revoked = app.daemon.revocation(&trust);
    let make = move || {
        let transport = Transport::Http { trust: trust.clone() };
        Ok(handler(Server::new(app.clone(), transport, offer.clone(), longest_ms)))
    };
    // Made for each request, because each may be offered other tools; `sessions` has what lasts.
    let mut config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(BODY)
        .with_sse_retry(None)
        // Host and Origin are checked for all routes alike.
        .disable_allowed_hosts();
    config.session_store = Some(Arc::new(begun));
    let service = StreamableHttpService::new(make, Arc::clone(&sessions), config);
    if let Some(id) = session {
        // A session that is half restored exists already, but answers nothing.
        let _turn = restoring.lock().await;
        if !sessions.has_session(&id).await.unwrap_or_default() {
            service.handle(ping(&request)).await;
        }
    }
    let response = service.handle(request).await;
    match message {
        Some(message) if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE => message.refused(),
        _ => response.map(|body| Body::new(Granted::new(body, revoked, slot))),
    }
}

/// A ping of the same client, which restores its session.
fn ping(request: &Request) -> Request {
    let mut ping = Request::new(Body::from(r#"{"jsonrpc":"2.0","id":"restore","method":"ping"}"#));
    *ping.method_mut() = Method::POST;
    *ping.uri_mut() = request.uri().clone();
    *ping.extensions_mut() = request.extensions().clone();
    let headers = ping.headers_mut();
    for (name, value) in request.headers().iter().filter(|(name, _)| **name != CONTENT_LENGTH) {
        headers.append(name, value.clone());
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    ping
}

/// The tools and the limit that a client asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct ToolQuery {
    tools: Vec<String>,
    only: Vec<String>,
    max_call_ms: Option<u64>,
}

impl ToolQuery {
    fn of(uri: &Uri, headers: &HeaderMap) -> Result<ToolQuery, ApiError> {
        let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
        let Query(query) = query.map_err(|e| ApiError::invalid(e.body_text()))?;
        let known = [TOOLS, ONLY, MAX_CALL];
        if let Some((unknown, _)) =
            query.iter().find(|(name, _)| !known.iter().any(|(known, _)| known == name))
        {
            return Err(ApiError::UnknownParameter {
                of: "/mcp".to_owned(),
                name: unknown.clone(),
                near: None,
                known: known.map(|(name, _)| name.to_owned()).into(),
            });
        }
        let asked = |(name, header): (&str, &str)| {
            let in_query = query.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
            in_query.or_else(|| headers.get(header)?.to_str().ok()).unwrap_or_default()
        };
        let names = |what| {
            let names = asked(what).split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        let max_call_ms = match asked(MAX_CALL) {
            "" => None,
            ms => Some(
                ms.parse()
                    .map_err(|_| ApiError::invalid(format!("`{ms}` is not a number of milliseconds")))?,
            ),
        };
        Ok(ToolQuery { tools: names(TOOLS), only: names(ONLY), max_call_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_query_overrides_headers_and_unknown_parameters_are_refused() {
        let mut headers = HeaderMap::new();
        headers.insert("cotty-tools", HeaderValue::from_static("tui"));
        headers.insert("cotty-only", HeaderValue::from_static("a, b,"));
        let asked = |query: &str| ToolQuery::of(&format!("/mcp{query}").parse().unwrap(), &headers);
        let both = asked("?tools=pty,panel&max_call_ms=90000").unwrap();
        assert_eq!(both.tools, ["pty", "panel"]);
        assert_eq!((both.only, both.max_call_ms), (vec!["a".to_owned(), "b".to_owned()], Some(90_000)));
        assert_eq!(asked("").unwrap().tools, ["tui"]);
        assert!(asked("?max_call_ms=soon").is_err());
        let refused = asked("?tool=pty").unwrap_err();
        assert!(
            matches!(refused, ApiError::UnknownParameter { known, .. } if known.contains(&"tools".to_owned()))
        );
    }
}
