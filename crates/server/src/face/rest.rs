//! REST: one route per operation, made from the table; and the descriptions of all operations.

use std::collections::HashMap;

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, get, on};
use cotty_protocol::ApiError;
use cotty_protocol::op::Activity;
use serde_json::{Map, Value};

use crate::app::{App, LONGEST_RETRY_ID, refuse, whole, without_process};
use crate::describe;
use crate::ops::{self, Context, OPERATIONS, OperationEntry};
use crate::trust::{Trust, introduction};

/// The client chooses it and repeats it when it sends the request again: the operation happens once.
const RETRY_ID: &str = "idempotency-key";

pub(crate) fn routes() -> Router<App> {
    let described = Router::new()
        .route("/v1/openapi.json", get(async || Json(describe::openapi())))
        .route("/v1/schema.json", get(async || Json(describe::json_schema())))
        .route(
            "/v1/types.ts",
            get(async || ([(CONTENT_TYPE, "text/plain; charset=utf-8")], describe::typescript())),
        );
    OPERATIONS.iter().fold(described, |router, entry| {
        let handler = move |State(app): State<App>,
                            Extension(trust): Extension<Trust>,
                            path: Result<Path<HashMap<String, String>>, PathRejection>,
                            uri: Uri,
                            headers: HeaderMap,
                            body: Result<Bytes, BytesRejection>| async move {
            let request = Request { entry, path, uri, headers, body };
            match request.perform(&app, &trust).await {
                Ok(reply) => (status(entry.route.status), Json(reply)).into_response(),
                Err(error) => refuse(error),
            }
        };
        router.route(entry.route.path, on(filter(entry.route.method), handler))
    })
}

fn filter(method: &str) -> MethodFilter {
    match method {
        "GET" => MethodFilter::GET,
        "PATCH" => MethodFilter::PATCH,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::POST,
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::OK)
}

/// Refuses an unknown path.
pub(crate) async fn unknown(method: Method, uri: Uri) -> Response {
    refuse(ApiError::UnknownRoute { method: method.to_string(), path: uri.path().to_owned() })
}

/// Refuses a method that the path does not have.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Response {
    refuse(ApiError::WrongMethod { method: method.to_string(), path: uri.path().to_owned() })
}

struct Request {
    entry: &'static OperationEntry,
    path: Result<Path<HashMap<String, String>>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
}

impl Request {
    async fn perform(self, app: &App, trust: &Trust) -> Result<Value, ApiError> {
        let (caller, cwd) = introduction(&self.headers)?;
        let retry_id = retry_id(&self.headers)?;
        let is_given = self.headers.contains_key(RETRY_ID) && !self.entry.route.takes_query();
        // The directory decides the owner and is the base of relative paths.
        let context = app.context(trust, caller, Some(without_process(cwd)), retry_id);
        let name = self.entry.name;
        // Checked before the parameters: a caller without the right gets that error first.
        context.may(self.entry.access).inspect_err(|error| {
            app.daemon.metrics.operation(name, Some(error.code()));
        })?;
        let params = self.params()?;
        if is_given {
            let secret = may_be_secret(&context, name, &params).await;
            let request = (!secret).then(|| format!("{name} {}", Value::Object(params.clone())));
            let (owner, id) = (&context.actor.owner, &context.retry_id);
            app.daemon.retries.check(owner, id, request.as_deref().map(str::as_bytes)).await?;
        }
        ops::call(name, context, Value::Object(params)).await
    }

    fn params(self) -> Result<Map<String, Value>, ApiError> {
        let route = self.entry.route;
        let Path(path) = self.path.map_err(|e| ApiError::invalid(e.body_text()))?;
        let body = whole(self.body)?;
        let query = Query::<Vec<(String, String)>>::try_from_uri(&self.uri);
        let Query(query) = query.map_err(|e| ApiError::invalid(e.body_text()))?;
        let mut params = match route.takes_query() {
            true if !body.is_empty() => {
                let problem = format!("{} takes no body", route.method);
                return Err(ApiError::invalid_instead(problem, "put the parameters into the query"));
            }
            true => in_query(self.entry, query)?,
            false if !query.is_empty() => {
                let problem = format!("{} takes no query", route.method);
                return Err(ApiError::invalid_instead(
                    problem,
                    "put the parameters into the body, as a JSON object",
                ));
            }
            false => in_body(&body)?,
        };
        for (name, value) in path {
            if params.insert(name.clone(), Value::String(value)).is_some() {
                return Err(ApiError::invalid(format!("`{name}` is already in the path")));
            }
        }
        Ok(params)
    }
}

/// Whether a request may contain a secret: it types into a session that asks for one.
async fn may_be_secret(context: &Context, name: &str, params: &Map<String, Value>) -> bool {
    if name != "send" {
        return false;
    }
    let session = params.get("session").and_then(Value::as_str).and_then(|id| context.hub.find(id).ok());
    match session {
        Some(session) => session
            .info()
            .await
            .is_ok_and(|info| matches!(info.activity, Activity::SecretInput | Activity::SecretSuspected)),
        None => false,
    }
}

/// Converts query text to the parameters' types: text stays as it is, everything else is parsed as JSON.
fn in_query(entry: &OperationEntry, query: Vec<(String, String)>) -> Result<Map<String, Value>, ApiError> {
    let schema = (entry.params)().to_value();
    let mut params = Map::new();
    for (name, text) in query {
        let property = schema.pointer("/properties").and_then(|properties| properties.get(&name));
        let value = match property.is_none_or(|property| describe::is_text(property, &schema)) {
            true => Value::String(text),
            // Text that is not JSON is refused later, by name, when types are checked.
            false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        };
        if params.insert(name.clone(), value).is_some() {
            return Err(ApiError::invalid(format!("`{name}` is given twice")));
        }
    }
    Ok(params)
}

fn in_body(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(_) => {
            Err(ApiError::invalid_instead("the body is not a JSON object", "send the parameters by name"))
        }
        Err(error) => Err(ApiError::invalid(format!("the body is not JSON: {error}"))),
    }
}

fn retry_id(headers: &HeaderMap) -> Result<String, ApiError> {
    let Some(given) = headers.get(RETRY_ID) else { return Ok(format!("rest:{}", ops::random_id())) };
    match given.to_str() {
        Ok(text) if (1..=LONGEST_RETRY_ID).contains(&text.len()) => Ok(text.to_owned()),
        _ => {
            Err(ApiError::invalid(format!("`{RETRY_ID}` must have 1 to {LONGEST_RETRY_ID} ASCII characters")))
        }
    }
}
