//! What every face needs: the hub, the daemon's state, the context of a call, and error responses.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::{Message, Utf8Bytes};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cotty_protocol::{Answer, ApiError, Caller, ErrorBody, Origin};
use cotty_session::Hub;

use crate::config::Usual;
use crate::daemon::DaemonState;
use crate::ops::Context;
use crate::trust::Trust;

/// Largest request body, in bytes.
pub(crate) const BODY: usize = 16 << 20;
/// Longest retry id, in bytes: it is written into the journal.
pub(crate) const LONGEST_RETRY_ID: usize = 200;

/// The state that every handler gets.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) daemon: Arc<DaemonState>,
}

impl App {
    /// The context of a call. `trust` decides which actor the caller is.
    pub(crate) fn context(
        &self,
        trust: &Trust,
        caller: Caller,
        origin: Option<Origin>,
        retry_id: String,
    ) -> Context {
        let origin = origin.unwrap_or_else(|| without_process(None));
        let cwd = Some(origin.cwd).filter(|dir| !dir.is_empty());
        Context {
            hub: self.hub.clone(),
            actor: trust.actor(caller, cwd.as_deref()),
            read_only: trust.read_only(),
            origin: cotty_session::Origin { cwd, env: origin.env },
            retry_id,
            usual: Usual::default(),
            lease: None,
            viewer: None,
            daemon: Arc::clone(&self.daemon),
        }
    }
}

/// The origin of sessions that no local process asked for. Its environment is the daemon's own, reduced to the
/// variables that describe the user.
pub(crate) fn without_process(cwd: Option<String>) -> Origin {
    const USER_VARIABLES: &[&str] =
        &["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_RUNTIME_DIR"];
    let env = USER_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    Origin { cwd: cwd.unwrap_or_default(), env: env.collect() }
}

/// Turns an error into a response with the HTTP status of its code.
pub(crate) fn refuse(error: ApiError) -> Response<Body> {
    let status =
        StatusCode::from_u16(error.code().http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(<Answer>::Error(in_plain_words(error)))).into_response()
}

/// Renders an error for a caller whose tools are unknown.
pub(crate) fn in_plain_words(error: ApiError) -> ErrorBody {
    let hint = error.advice().in_words(|step| Some(step.to_string()));
    ErrorBody::new(error, hint)
}

/// A text message whose bytes are shared with other sockets, not copied for this one.
pub(crate) fn shared_text(wire: Arc<[u8]>) -> Result<Message, axum::Error> {
    let text = Utf8Bytes::try_from(Bytes::from_owner(wire)).map_err(axum::Error::new)?;
    Ok(Message::Text(text))
}

pub(crate) fn too_large() -> ApiError {
    ApiError::TooLarge { mib: BODY >> 20 }
}

/// The body of a request, unless it is too large.
pub(crate) fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => ApiError::invalid(format!("cannot read the request body: {}", rejection.body_text())),
    })
}
