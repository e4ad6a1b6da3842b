//! What the next daemon must know of an MCP conversation. Pure.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use cotty_protocol::{McpHello, McpOpen};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::pipe::{Conversation, Verdict, error};

/// Limits for open requests: their number and total size. The pipe might have to send all of them again.
const MOST_OPEN: usize = 1024;
const MOST_BYTES: usize = 64 << 20;
/// Calls with longer ids are sent again without their age.
const LONGEST_ID: usize = 256;
/// Prefix of the ids of the pipe's own requests, and of the daemon's requests to the client.
const OURS: &str = "cotty:";

const SUBSCRIPTION: &str = "/params/_meta/io.modelcontextprotocol~1subscriptionId";

/// The parts of a message that the pipe reads from every line.
#[derive(Deserialize)]
struct MessageHead {
    id: Option<Value>,
    method: Option<String>,
    error: Option<IgnoredAny>,
}

#[derive(Debug)]
struct Open {
    id: Value,
    method: String,
    line: String,
    asked_at: Instant,
    /// For `subscriptions/listen`: the client received the acknowledgement.
    acknowledged: bool,
}

#[derive(Debug)]
pub(super) struct McpConversation {
    /// The first line to each daemon.
    hello: McpHello,
    /// The answered `initialize` request, and the notification that ended the handshake.
    initialize: Option<String>,
    initialized: Option<String>,
    /// Requests without an answer, oldest first.
    open: VecDeque<Open>,
    bytes: usize,
    /// The subscribe request of each subscribed resource, by URI.
    subscribed: BTreeMap<String, String>,
    /// The progress of each open request, by its progress token.
    progress: Vec<(Value, f64)>,
    /// The number of the current daemon, from 1.
    generation: u64,
    /// The ids of the daemon's open requests to the client.
    daemon_requests: Vec<Value>,
    /// The pipe's own requests to this daemon, by id; with the resource, if it was a subscription.
    own: BTreeMap<String, Option<String>>,
}

impl McpConversation {
    pub(super) fn new(hello: McpHello) -> McpConversation {
        McpConversation {
            hello,
            initialize: None,
            initialized: None,
            open: VecDeque::new(),
            bytes: 0,
            subscribed: BTreeMap::new(),
            progress: Vec::new(),
            generation: 0,
            daemon_requests: Vec::new(),
            own: BTreeMap::new(),
        }
    }

    fn opened(&mut self, id: Value, method: String, line: &str, asked_at: Instant) -> Verdict {
        if self.open.len() >= MOST_OPEN || self.bytes + line.len() > MOST_BYTES {
            return refused(Some(&id), -32000, "too many open requests: wait for answers, then try again");
        }
        if method == "initialize" {
            (self.initialize, self.initialized) = (None, None);
        }
        self.bytes += line.len();
        self.open.push_back(Open { id, method, line: line.to_owned(), asked_at, acknowledged: false });
        Verdict::Pass
    }

    fn close(&mut self, id: &Value) -> Option<Open> {
        let at = self.open.iter().position(|open| open.id == *id)?;
        let open = self.open.remove(at)?;
        self.bytes -= open.line.len();
        if !self.progress.is_empty()
            && let Some(token) = whole(&open.line).pointer("/params/_meta/progressToken")
        {
            self.progress.retain(|(other, _)| other != token);
        }
        Some(open)
    }

    /// The client's answer to a request of a daemon: only that daemon can use it.
    fn client_answered(&mut self, id: &Value, line: &str) -> Verdict {
        let Some(at) = self.daemon_requests.iter().position(|request| self.client_id(request) == *id) else {
            return Verdict::Drop;
        };
        let id = self.daemon_requests.swap_remove(at);
        Verdict::Swap(match serde_json::from_str::<Value>(line) {
            Ok(mut message) => {
                message["id"] = id;
                message.to_string()
            }
            Err(failure) => error(Some(&id), -32700, &format!("the client's answer is not JSON: {failure}")),
        })
    }

    /// The id by which the client knows a request of this daemon. All daemons count from the same number.
    fn client_id(&self, id: &Value) -> Value {
        format!("{OURS}{}:{id}", self.generation).into()
    }

    fn answered(&mut self, id: &Value, is_error: bool) -> Verdict {
        if let Some(resource) = id.as_str().and_then(|id| self.own.remove(id)) {
            // The client missed changes while there was no daemon.
            return resource.map_or(Verdict::Drop, |uri| {
                if is_error {
                    self.subscribed.remove(&uri);
                }
                Verdict::Answer(vec![updated(&uri, None)])
            });
        }
        // A cancelled request is no longer open.
        let Some(open) = self.close(id) else { return Verdict::Drop };
        let uri = || whole(&open.line).pointer("/params/uri").and_then(Value::as_str).map(str::to_owned);
        match open.method.as_str() {
            _ if is_error => {}
            "initialize" => self.initialize = Some(open.line),
            "resources/subscribe" => {
                if let Some(uri) = uri().filter(|_| self.subscribed.len() < MOST_OPEN) {
                    self.subscribed.insert(uri, open.line);
                }
            }
            "resources/unsubscribe" => {
                uri().and_then(|uri| self.subscribed.remove(&uri));
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn daemon_cancelled(&mut self, line: &str) -> Verdict {
        let mut message = whole(line);
        let Some(id) = message.pointer("/params/requestId").cloned() else { return Verdict::Pass };
        let Some(at) = self.daemon_requests.iter().position(|request| *request == id) else {
            return Verdict::Pass;
        };
        self.daemon_requests.swap_remove(at);
        message["params"]["requestId"] = self.client_id(&id);
        Verdict::Swap(message.to_string())
    }

    fn acknowledged(&mut self, line: &str) -> Verdict {
        let message = whole(line);
        let id = message.pointer(SUBSCRIPTION);
        let Some(open) = self.open.iter_mut().find(|open| Some(&open.id) == id) else { return Verdict::Pass };
        if !std::mem::replace(&mut open.acknowledged, true) {
            return Verdict::Pass;
        }
        let request = whole(&open.line);
        let uris = request.pointer("/params/notifications/resourceSubscriptions").and_then(Value::as_array);
        let uris = uris.into_iter().flatten().filter_map(Value::as_str);
        Verdict::Answer(uris.map(|uri| updated(uri, Some(&open.id))).collect())
    }

    /// Drops progress that does not grow, as after a request was sent again.
    fn progressed(&mut self, line: &str) -> Verdict {
        let message = whole(line);
        let (Some(token), Some(now)) = (
            message.pointer("/params/progressToken"),
            message.pointer("/params/progress").and_then(Value::as_f64),
        ) else {
            return Verdict::Pass;
        };
        let has_room = self.progress.len() < MOST_OPEN;
        match self.progress.iter_mut().find(|(other, _)| other == token) {
            Some((_, before)) if *before >= now => return Verdict::Drop,
            Some((_, before)) => *before = now,
            None if has_room => self.progress.push((token.clone(), now)),
            None => {}
        }
        Verdict::Pass
    }

    /// The calls that are sent again to a new daemon, with their ages.
    fn ages(&self, now: Instant) -> Vec<McpOpen> {
        let has_age = |open: &&Open| {
            open.method == "tools/call" && open.id.as_str().is_none_or(|id| id.len() <= LONGEST_ID)
        };
        let age = |open: &Open| {
            let age = now.saturating_duration_since(open.asked_at).as_millis();
            McpOpen { id: open.id.clone(), ms: u64::try_from(age).unwrap_or(u64::MAX) }
        };
        self.open.iter().filter(has_age).map(age).collect()
    }

    /// The same request with an id of the pipe, which handles the answer itself.
    fn for_us(&mut self, line: &str, resource: Option<String>) -> String {
        let id = format!("{OURS}{}:again:{}", self.generation, self.own.len());
        let mut message = whole(line);
        message["id"] = id.clone().into();
        self.own.insert(id, resource);
        message.to_string()
    }
}

impl Conversation for McpConversation {
    const ROUTE: &str = "/v1/mcp";
    const UPGRADE: &str = "cotty-mcp";

    fn hello(&self, now: Instant) -> serde_json::Result<String> {
        serde_json::to_string(&McpHello { open: self.ages(now), ..self.hello.clone() })
    }

    fn client_sent(&mut self, line: &str, now: Instant) -> Verdict {
        if line.trim().is_empty() {
            return Verdict::Drop;
        }
        let head: MessageHead = match serde_json::from_str(line) {
            Ok(head) => head,
            Err(_) if line.trim_start().starts_with('[') => {
                return refused(None, -32600, "MCP has no batches: send one message per line");
            }
            // The daemon reports what is wrong with the structure of a message.
            Err(error) if error.is_data() => return Verdict::Pass,
            Err(error) => return refused(None, -32700, &format!("the message is not JSON: {error}")),
        };
        match (head.method, head.id) {
            (Some(method), Some(id)) => {
                return match unfit(line, &id, &method) {
                    Some((code, why)) => refused(Some(&id), code, &why),
                    None => self.opened(id, method, line, now),
                };
            }
            (Some(method), None) if method == "notifications/initialized" => {
                self.initialized = Some(line.to_owned());
            }
            (Some(method), None) if method == "notifications/cancelled" => {
                if let Some(id) = whole(line).pointer("/params/requestId") {
                    self.close(id);
                }
            }
            (Some(_), None) => {}
            (None, Some(id)) => return self.client_answered(&id, line),
            (None, None) => return Verdict::Drop,
        }
        Verdict::Pass
    }

    fn daemon_sent(&mut self, line: &str) -> Verdict {
        let Ok(head) = serde_json::from_str::<MessageHead>(line) else { return Verdict::Pass };
        match (head.method.as_deref(), head.id) {
            (Some(_), Some(id)) => {
                let mut message = whole(line);
                message["id"] = self.client_id(&id);
                self.daemon_requests.push(id);
                Verdict::Swap(message.to_string())
            }
            (Some("notifications/cancelled"), None) => self.daemon_cancelled(line),
            (Some("notifications/subscriptions/acknowledged"), None) => self.acknowledged(line),
            (Some("notifications/progress"), None) => self.progressed(line),
            (Some(_), None) | (None, None) => Verdict::Pass,
            (None, Some(id)) => self.answered(&id, head.error.is_some()),
        }
    }

    fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether every open request is a `subscriptions/listen`, which has no answer.
    fn is_answered(&self) -> bool {
        self.open.iter().all(|open| open.method == "subscriptions/listen")
    }

    fn lost(&mut self) -> Vec<String> {
        let requests = std::mem::take(&mut self.daemon_requests);
        let cancelled = |id: &Value| {
            let params = json!({"requestId": self.client_id(id), "reason": "cotty's daemon was replaced"});
            notification("notifications/cancelled", params)
        };
        requests.iter().map(cancelled).collect()
    }

    fn begin_again(&mut self) -> Vec<String> {
        self.generation += 1;
        self.own.clear();
        let mut lines = Vec::new();
        let is_first = |open: &Open| open.method == "initialize";
        if let Some(line) = self.initialize.clone() {
            lines.push(self.for_us(&line, None));
        }
        lines.extend(self.open.iter().filter(|open| is_first(open)).map(|open| open.line.clone()));
        lines.extend(self.initialized.clone());
        for (uri, line) in self.subscribed.clone() {
            lines.push(self.for_us(&line, Some(uri)));
        }
        lines.extend(self.open.iter().filter(|open| !is_first(open)).map(|open| open.line.clone()));
        lines
    }

    fn give_up(&mut self, why: &str) -> Vec<String> {
        self.bytes = 0;
        self.progress.clear();
        let open = std::mem::take(&mut self.open);
        open.iter().map(|open| error(Some(&open.id), -32000, why)).collect()
    }
}

fn whole(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// Why the daemon's parser would reject a request, if it would. The daemon would answer without the id or not at all, and
/// the client would wait for ever.
fn unfit(line: &str, id: &Value, method: &str) -> Option<(i32, String)> {
    const INVALID_REQUEST: i32 = -32600;
    const INVALID_PARAMS: i32 = -32602;
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(error) => return Some((-32700, format!("the message cannot be parsed: {error}"))),
    };
    let invalid = |why: &str| Some((INVALID_REQUEST, why.to_owned()));
    if !(id.is_string() || id.is_i64()) {
        return invalid("`id` must be a string or a whole number of at most 64 bits");
    }
    if message["jsonrpc"] != "2.0" {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    let params = &message["params"];
    if !(params.is_null() || params.is_object()) {
        return invalid("`params` must be an object");
    }
    if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return invalid("`_meta` must be an object");
    }
    let needed = match method {
        "tools/call" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        _ => return None,
    };
    if !params[needed].is_string() {
        return Some((INVALID_PARAMS, format!("{method}: `{needed}` in `params` must be a string")));
    }
    let arguments = &params["arguments"];
    if method == "tools/call" && !(arguments.is_null() || arguments.is_object()) {
        return Some((INVALID_PARAMS, "`arguments` must be an object".to_owned()));
    }
    None
}

fn refused(id: Option<&Value>, code: i32, message: &str) -> Verdict {
    Verdict::Answer(vec![error(id, code, message)])
}

fn notification(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// Notifies the client that a resource might have changed while no daemon ran.
fn updated(uri: &str, subscription: Option<&Value>) -> String {
    let mut params = json!({"uri": uri});
    if let Some(id) = subscription {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    }
    notification("notifications/resources/updated", params)
}

#[cfg(test)]
mod tests;
