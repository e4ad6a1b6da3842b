//! `GET /metrics`: the daemon's metrics, for Prometheus. A read-only token is enough.

use axum::Router;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use cotty_protocol::ApiError;

use crate::app::{App, refuse};
use crate::trust::Trust;

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(State(app): State<App>, Extension(trust): Extension<Trust>) -> Response {
    if matches!(trust, Trust::Child { .. }) {
        return refuse(ApiError::ChildNotAllowed);
    }
    // Measuring the recordings on disk blocks.
    let text =
        tokio::task::spawn_blocking(move || app.daemon.metrics.text(&app.hub, &app.daemon.recordings)).await;
    match text {
        Ok(text) => ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
