//! What every face needs: the hub, the daemon, who asks, and how a request is refused.

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

/// Largest call.
pub(crate) const BODY: usize = 16 << 20;
/// Longest retry id: it is written into the journal.
pub(crate) const LONGEST_RETRY_ID: usize = 200;

/// What every handler needs.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) daemon: Arc<DaemonState>,
}

impl App {
    /// The context of a call, with what the daemon believes of the caller.
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

/// Where sessions begin that no process of the user's asked for: in the environment that the daemon was started in, as far
/// as it is the user's and not of a terminal or a program.
pub(crate) fn without_process(cwd: Option<String>) -> Origin {
    const USERS: &[&str] =
        &["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_RUNTIME_DIR"];
    let env = USERS.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    Origin { cwd: cwd.unwrap_or_default(), env: env.collect() }
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

pub(crate) fn too_large() -> ApiError {
    ApiError::TooLarge { mib: BODY >> 20 }
}

/// The body of a request, unless it is too large.
pub(crate) fn whole(body: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => ApiError::invalid(format!("the body did not come: {}", rejection.body_text())),
    })
}
