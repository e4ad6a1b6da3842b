//! Checks what is posted to `/mcp` before the service sees it, so that an invalid message is answered as MCP
//! requires.

use std::borrow::Cow;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::app::{refuse, whole};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const NO_MESSAGE: &str = "this is not an MCP message: a request has `jsonrpc`, `id`, `method` and, if it needs them, `params`, an object";

/// The checked part of a message.
#[derive(Debug, PartialEq)]
pub(crate) struct Message {
    id: Option<Value>,
    /// Whether its answer can be large.
    pub(crate) is_large: bool,
}

/// Why a body is not a message.
#[derive(Debug, PartialEq)]
struct NoMessage {
    code: i32,
    id: Option<Value>,
    why: String,
}

#[derive(Deserialize)]
struct PostedHead<'a> {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
}

/// The unchanged request, and the message in it if one was posted.
pub(crate) async fn read_message(request: Request) -> Result<(Request, Option<Message>), Response> {
    // The service refuses other content types.
    if request.method() != Method::POST || !is_json(request.headers()) {
        return Ok((request, None));
    }
    let (parts, body) = request.into_parts();
    let read = Bytes::from_request(Request::from_parts(parts.clone(), body), &()).await;
    let body = whole(read).map_err(refuse)?;
    let message = Message::of(&body).map_err(NoMessage::into_response)?;
    Ok((Request::from_parts(parts, Body::from(body)), Some(message)))
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.starts_with("application/json"))
}

impl Message {
    fn of(body: &[u8]) -> Result<Message, NoMessage> {
        let no = |code, id, why: String| NoMessage { code, id, why };
        let text =
            std::str::from_utf8(body).map_err(|_| no(PARSE_ERROR, None, "the body is not UTF-8".into()))?;
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
            no(PARSE_ERROR, None, format!("the body is not JSON: {error}; post one JSON-RPC message"))
        })?;
        let invalid = |id, why: &str| no(INVALID_REQUEST, id, why.to_owned());
        match text.trim_ascii_start().as_bytes().first() {
            Some(b'{') => {}
            Some(b'[') => return Err(invalid(None, "MCP has no batches: post one message at a time")),
            _ => return Err(invalid(None, NO_MESSAGE)),
        }
        let PostedHead { jsonrpc, id, method } = serde_json::from_str(text)
            .map_err(|error| no(INVALID_REQUEST, None, format!("{NO_MESSAGE} ({error})")))?;
        if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_i64())) {
            return Err(invalid(None, "an id must be a string or a whole number of at most 64 bits"));
        }
        if jsonrpc.is_none_or(|version| version != "2.0") {
            return Err(invalid(id, "`jsonrpc` must be \"2.0\""));
        }
        Ok(Message { id, is_large: method.is_some_and(|method| method == "resources/read") })
    }

    /// The answer if the service does not accept it as a message.
    pub(crate) fn refused(self) -> Response {
        NoMessage { code: INVALID_REQUEST, id: self.id, why: NO_MESSAGE.to_owned() }.into_response()
    }
}

impl NoMessage {
    /// An id that could not be read is omitted, as MCP requires.
    fn into_response(self) -> Response {
        let mut answer = json!({"jsonrpc": "2.0", "error": {"code": self.code, "message": self.why}});
        if let Some(id) = self.id {
            answer["id"] = id;
        }
        (StatusCode::BAD_REQUEST, Json(answer)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_message_gets_the_code_of_its_error() {
        let refused = |body: &[u8]| {
            let refused = Message::of(body).unwrap_err();
            (refused.code, refused.id)
        };
        for body in [&b""[..], b"{", b"no", b"[1,", b"\"\xff\"", b"{} {}"] {
            assert_eq!(refused(body), (PARSE_ERROR, None), "{body:?}");
        }
        for body in
            [&b"[]"[..], b" [{\"jsonrpc\":\"2.0\"}]", b"[\"2.0\",1,\"ping\"]", b"5", b"null", b"\"{\""]
        {
            assert_eq!(refused(body), (INVALID_REQUEST, None), "{body:?}");
        }
        let of = |text: &str| refused(text.as_bytes());
        assert_eq!(of(r#"{"id":7,"method":"ping"}"#), (INVALID_REQUEST, Some(json!(7))));
        assert_eq!(of(r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#), (INVALID_REQUEST, Some(json!("a"))));
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), (INVALID_REQUEST, None));
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":1,"method":5}"#), (INVALID_REQUEST, None));
    }

    #[test]
    fn only_a_resource_read_can_have_a_large_answer() {
        let of = |method: &str| {
            Message::of(format!(r#" {{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#).as_bytes()).unwrap()
        };
        assert_eq!(of("resources/read"), Message { id: Some(json!(1)), is_large: true });
        assert!(!of("tools/call").is_large);
        assert_eq!(Message::of(br#"{"jsonrpc":"2.0","method":"x"}"#).unwrap().id, None);
    }
}
