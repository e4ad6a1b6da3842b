//! The browser's page, embedded at build time. A binary built without Node.js serves a note instead.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use rust_embed::RustEmbed;

use crate::app::{App, refuse};
use crate::auth::{check_source, origin};

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Page;

/// Served by a binary that was built without the page.
const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>cotty</title>\
<p>This cotty was built without its page. <code>make run</code> builds both; it needs Node.js.";

/// Scripts and connections only from and to this server. xterm.js sets inline styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn router(app: App) -> Router {
    Router::new().fallback(page).with_state(app)
}

async fn page(State(app): State<App>, request: Request) -> Response {
    if let Err(error) = check_source(request.headers(), &app.daemon.address) {
        return refuse(error);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if origin(request.headers()) != app.daemon.http {
        // The browser keeps the key after `#`.
        return Redirect::temporary(&format!("{}{}", app.daemon.http, request.uri().path())).into_response();
    }
    let path = match request.uri().path() {
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    let mut response = match Page::get(path) {
        Some(file) => ([(CONTENT_TYPE, file.metadata.mimetype().to_owned())], file.data).into_response(),
        None if path == "index.html" => Html(NOT_BUILT).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
