//! `/v1/prove`: the page and the daemon prove to each other that they know the page's credential. First the daemon: the page
//! sends nothing but a nonce before it has seen that proof.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use cotty_protocol::ApiError;
use serde::{Deserialize, Serialize};

use crate::app::{App, refuse, whole};
use crate::auth::{check_source, origin};
use crate::ops::now_ms;
use crate::proof::Proofs;

/// Largest request body.
pub(crate) const BODY: usize = 4096;

/// First the nonce alone, then also the answer to the challenge.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Asked {
    Enter { nonce: String, challenge: String, proof: String },
    Greet { nonce: String },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Reply {
    /// The daemon's proof.
    Greeting { challenge: String, proof: String },
    /// A token for this origin, valid for a short time.
    Entered { pass: String },
}

pub(crate) async fn prove(
    State(app): State<App>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    match reply(&app, &headers, body) {
        Ok(reply) => Json(reply).into_response(),
        Err(error) => refuse(error),
    }
}

fn reply(app: &App, headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Reply, ApiError> {
    check_source(headers, &app.daemon.address)?;
    // Only for the address that we listen on: at `[::1]`, which `localhost` may mean, another user may listen.
    if origin(headers) != app.daemon.http {
        let reason = format!("the page is at {}", app.daemon.http);
        return Err(ApiError::Unauthorized { reason });
    }
    let asked = serde_json::from_slice(&whole(body)?)
        .map_err(|error| ApiError::invalid(format!("the body is not a proof: {error}")))?;
    let (key, origin, now_ms) = (app.daemon.page.key(), origin(headers), now_ms());
    let proofs = Proofs { key: &key, origin: &origin };
    match asked {
        Asked::Greet { nonce } => {
            let (challenge, proof) = proofs
                .greet(&nonce, now_ms)
                .ok_or_else(|| ApiError::invalid("`nonce` must have 64 hex digits"))?;
            Ok(Reply::Greeting { challenge, proof })
        }
        Asked::Enter { nonce, challenge, proof } => {
            let pass = proofs.enter(&nonce, &challenge, &proof, now_ms).ok_or(ApiError::BadToken)?;
            Ok(Reply::Entered { pass })
        }
    }
}
