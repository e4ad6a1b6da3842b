//! `/v1/call`: any operation by its name. The command line uses it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use cotty_protocol::{Answer, ApiError, Call};

use crate::app::{App, LONGEST_RETRY_ID, refuse, whole};
use crate::ops;
use crate::trust::Trust;

pub(crate) async fn call(
    State(app): State<App>,
    Extension(trust): Extension<Trust>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match whole(body) {
        Ok(body) => body,
        Err(error) => return refuse(error),
    };
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(error) => return refuse(ApiError::invalid(format!("the body is not a call: {error}"))),
    };
    if call.retry_id.is_empty() || call.retry_id.len() > LONGEST_RETRY_ID {
        return refuse(ApiError::invalid(format!("retry_id must have 1 to {LONGEST_RETRY_ID} bytes")));
    }
    let context = app.context(&trust, call.caller, call.origin, call.retry_id);
    match ops::call(&call.op, context, call.params).await {
        Ok(reply) => Json(Answer::Ok(reply)).into_response(),
        Err(error) => refuse(error),
    }
}
