//! What a client and its daemons have said to each other, as far as the next daemon has to know it. Pure.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use cotty_protocol::McpOpen;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// Most requests that may be open at once, and how long they may be together: all of them may have to be said again.
const MOST_OPEN: usize = 1024;
const MOST_BYTES: usize = 64 << 20;
/// Longest id of a call that the next daemon is told the age of. Nobody has longer ones.
const LONGEST_ID: usize = 256;
/// Requests that the pipe makes on its own behalf, and the daemon's own that the client is asked, begin so.
const OURS: &str = "cotty:";

const SUBSCRIPTION: &str = "/params/_meta/io.modelcontextprotocol~1subscriptionId";

/// What to do with a line.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Pass it on as it is.
    Pass,
    /// Pass this on instead.
    Swap(String),
    /// Nobody needs it.
    Drop,
    /// It goes no further; its sender hears these.
    Answer(Vec<String>),
}

/// As much of a message as every line is read for.
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
    /// A `subscriptions/listen` of which the client knows that it was taken.
    acknowledged: bool,
}

#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The `initialize` that was answered, and the notification that ended the handshake.
    initialize: Option<String>,
    initialized: Option<String>,
    /// Requests without an answer, oldest first.
    open: VecDeque<Open>,
    bytes: usize,
    /// Resources that are subscribed to, each by its request.
    subscribed: BTreeMap<String, String>,
    /// How far each open request came, by its progress token.
    progress: Vec<(Value, f64)>,
    /// Which daemon this is, counted.
    generation: u64,
    /// What this daemon asked the client, and waits for.
    asked_back: Vec<Value>,
    /// What the pipe itself asked this daemon: the resource, where it was a subscription.
    own: BTreeMap<String, Option<String>>,
}

impl Conversation {
    /// The client said this.
    pub(super) fn asked(&mut self, line: &str, now: Instant) -> Verdict {
        if line.trim().is_empty() {
            return Verdict::Drop;
        }
        let head: MessageHead = match serde_json::from_str(line) {
            Ok(head) => head,
            Err(_) if line.trim_start().starts_with('[') => {
                return refused(None, -32600, "MCP has no batches: one message is one line");
            }
            // The daemon says best what is wrong with the shape of a message.
            Err(error) if error.is_data() => return Verdict::Pass,
            Err(error) => return refused(None, -32700, &format!("this is not JSON: {error}")),
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
            (None, Some(id)) => return self.answered_back(&id, line),
            (None, None) => return Verdict::Drop,
        }
        Verdict::Pass
    }

    fn opened(&mut self, id: Value, method: String, line: &str, asked_at: Instant) -> Verdict {
        if self.open.len() >= MOST_OPEN || self.bytes + line.len() > MOST_BYTES {
            return refused(
                Some(&id),
                -32000,
                "too many requests are open: wait for answers, then ask again",
            );
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

    /// The client's answer to something that a daemon asked: only that daemon can use it.
    fn answered_back(&mut self, id: &Value, line: &str) -> Verdict {
        let Some(at) = self.asked_back.iter().position(|asked| self.name_of(asked) == *id) else {
            return Verdict::Drop;
        };
        let id = self.asked_back.swap_remove(at);
        Verdict::Swap(match serde_json::from_str::<Value>(line) {
            Ok(mut message) => {
                message["id"] = id;
                message.to_string()
            }
            Err(failure) => error(Some(&id), -32700, &format!("the client's answer is not JSON: {failure}")),
        })
    }

    /// What the client calls a request of this daemon. Each daemon counts from the same number.
    fn name_of(&self, id: &Value) -> Value {
        format!("{OURS}{}:{id}", self.generation).into()
    }

    /// The daemon said this. An answer here goes to the client, too.
    pub(super) fn told(&mut self, line: &str) -> Verdict {
        let Ok(head) = serde_json::from_str::<MessageHead>(line) else { return Verdict::Pass };
        match (head.method.as_deref(), head.id) {
            (Some(_), Some(id)) => {
                let mut message = whole(line);
                message["id"] = self.name_of(&id);
                self.asked_back.push(id);
                Verdict::Swap(message.to_string())
            }
            (Some("notifications/cancelled"), None) => self.took_back(line),
            (Some("notifications/subscriptions/acknowledged"), None) => self.acknowledged(line),
            (Some("notifications/progress"), None) => self.progressed(line),
            (Some(_), None) | (None, None) => Verdict::Pass,
            (None, Some(id)) => self.answered(&id, head.error.is_some()),
        }
    }

    fn answered(&mut self, id: &Value, is_error: bool) -> Verdict {
        if let Some(resource) = id.as_str().and_then(|id| self.own.remove(id)) {
            // Whatever happened to it meanwhile, nobody told.
            return resource.map_or(Verdict::Drop, |uri| {
                if is_error {
                    self.subscribed.remove(&uri);
                }
                Verdict::Answer(vec![updated(&uri, None)])
            });
        }
        // It was cancelled.
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

    fn took_back(&mut self, line: &str) -> Verdict {
        let mut message = whole(line);
        let Some(id) = message.pointer("/params/requestId").cloned() else { return Verdict::Pass };
        let Some(at) = self.asked_back.iter().position(|asked| *asked == id) else { return Verdict::Pass };
        self.asked_back.swap_remove(at);
        message["params"]["requestId"] = self.name_of(&id);
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

    /// Progress only ever grows, also where a request began again.
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

    /// Whether anything is open.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether nothing is open that will be answered.
    pub(super) fn is_answered(&self) -> bool {
        self.open.iter().all(|open| open.method == "subscriptions/listen")
    }

    /// The daemon is gone, and what it asked the client nobody waits for any more: the client hears these.
    pub(super) fn lost(&mut self) -> Vec<String> {
        let asked = std::mem::take(&mut self.asked_back);
        let taken_back = |id: &Value| {
            let params = json!({"requestId": self.name_of(id), "reason": "cotty's daemon was replaced"});
            notification("notifications/cancelled", params)
        };
        asked.iter().map(taken_back).collect()
    }

    /// The calls that a new daemon hears again, and how old they are.
    pub(super) fn ages(&self, now: Instant) -> Vec<McpOpen> {
        let is_told = |open: &&Open| {
            open.method == "tools/call" && open.id.as_str().is_none_or(|id| id.len() <= LONGEST_ID)
        };
        let age = |open: &Open| {
            let age = now.saturating_duration_since(open.asked_at).as_millis();
            McpOpen { id: open.id.clone(), ms: u64::try_from(age).unwrap_or(u64::MAX) }
        };
        self.open.iter().filter(is_told).map(age).collect()
    }

    /// What a new daemon has to hear.
    pub(super) fn begin_again(&mut self) -> Vec<String> {
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

    /// The same request under an id of our own: its answer is for us.
    fn for_us(&mut self, line: &str, resource: Option<String>) -> String {
        let id = format!("{OURS}{}:again:{}", self.generation, self.own.len());
        let mut message = whole(line);
        message["id"] = id.clone().into();
        self.own.insert(id, resource);
        message.to_string()
    }

    /// Nobody else will answer what is open: these do.
    pub(super) fn give_up(&mut self, why: &str) -> Vec<String> {
        self.bytes = 0;
        self.progress.clear();
        let open = std::mem::take(&mut self.open);
        open.iter().map(|open| error(Some(&open.id), -32000, why)).collect()
    }
}

fn whole(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// Why the daemon's parser would not take a request, if so: it would answer without the id, or not at all, and somebody
/// would wait for ever.
fn unfit(line: &str, id: &Value, method: &str) -> Option<(i32, String)> {
    const INVALID_REQUEST: i32 = -32600;
    const INVALID_PARAMS: i32 = -32602;
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(error) => return Some((-32700, format!("this cannot be read: {error}"))),
    };
    let invalid = |why: &str| Some((INVALID_REQUEST, why.to_owned()));
    if !(id.is_string() || id.is_i64()) {
        return invalid("an id is a string or a whole number of at most 64 bits");
    }
    if message["jsonrpc"] != "2.0" {
        return invalid("`jsonrpc` is \"2.0\"");
    }
    let params = &message["params"];
    if !(params.is_null() || params.is_object()) {
        return invalid("`params` is an object");
    }
    if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return invalid("`_meta` is an object");
    }
    let needed = match method {
        "tools/call" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        _ => return None,
    };
    if !params[needed].is_string() {
        return Some((INVALID_PARAMS, format!("{method} needs `{needed}`, a string, in `params`")));
    }
    let arguments = &params["arguments"];
    if method == "tools/call" && !(arguments.is_null() || arguments.is_object()) {
        return Some((INVALID_PARAMS, "`arguments` is an object".to_owned()));
    }
    None
}

fn refused(id: Option<&Value>, code: i32, message: &str) -> Verdict {
    Verdict::Answer(vec![error(id, code, message)])
}

/// An error as an answer. Without an id where the request's could not be read, as MCP has it.
pub(super) fn error(id: Option<&Value>, code: i32, message: &str) -> String {
    let mut answer = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let Some(id) = id {
        answer["id"] = id.clone();
    }
    answer.to_string()
}

fn notification(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// A resource may have changed while there was no daemon to say so.
fn updated(uri: &str, subscription: Option<&Value>) -> String {
    let mut params = json!({"uri": uri});
    if let Some(id) = subscription {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    }
    notification("notifications/resources/updated", params)
}

#[cfg(test)]
mod tests;
