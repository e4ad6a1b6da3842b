//! What a tool is: a name, a schema, and a translation into an operation.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cotty_protocol::{ApiError, ErrorBody};
use cotty_session::DEFAULT_WAIT;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::face::mcp::advice::Advisor;
use crate::face::mcp::contract::schema::{input_schema, output_schema};
use crate::face::mcp::elicitation::Client;
use crate::ops::{Access, Context};

/// Longest call, unless the client says that it waits longer: most clients give up after 60 seconds.
const LONGEST_CALL_MS: u64 = 50_000;

/// How long a call may last, by what the client asked for.
pub(crate) fn longest(asked_ms: Option<u64>) -> Duration {
    // A day is as good as for ever.
    Duration::from_millis(asked_ms.unwrap_or(LONGEST_CALL_MS).min(24 * 60 * 60 * 1000))
}

/// One call of a tool: who calls, and its deadline.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) context: Context,
    /// How long it lasted in an earlier daemon that died during the call.
    pub(crate) spent: Duration,
    /// When this daemon received it.
    pub(crate) heard: Instant,
    pub(crate) until: Instant,
    /// Who called; see [`Call::ask`].
    pub(crate) client: Client,
    pub(crate) on_cancel: OnCancel,
    /// Writes the hints for the client.
    pub(crate) advisor: Advisor,
}

type Undoing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What to do when the client cancels a call, besides ending its wait. Not done when the client or the daemon is
/// gone.
#[derive(Clone, Default)]
pub(crate) struct OnCancel(Arc<Mutex<Option<Undoing>>>);

impl OnCancel {
    pub(crate) fn set(&self, undo: impl Future<Output = ()> + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(undo));
    }

    pub(crate) async fn done(&self) {
        let undo = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(undo) = undo {
            undo.await;
        }
    }
}

impl std::fmt::Debug for OnCancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnCancel")
    }
}

impl Call {
    /// The time left until the call's deadline.
    pub(crate) fn left_ms(&self) -> u64 {
        millis(self.until.saturating_duration_since(Instant::now()))
    }

    /// What is left of a requested time, limited by the call's deadline.
    pub(crate) fn within(&self, ms: Option<u64>) -> Option<u64> {
        ms.map(|ms| ms.saturating_sub(millis(self.spent)).min(self.left_ms()))
    }

    /// How long the call has lasted in total. `ms` is what its session measured. If a daemon died during the call,
    /// the time until this daemon had the session counts, too.
    pub(crate) fn lasted_ms(&self, ms: u64) -> u64 {
        match self.spent.is_zero() {
            true => ms,
            false => millis(self.spent.saturating_add(self.heard.elapsed())),
        }
    }

    /// The same call without spent time. For a call that does not begin with its wait, it is unknown which part spent
    /// it.
    pub(crate) fn afresh(self) -> Call {
        Call { spent: Duration::ZERO, ..self }
    }

    /// How long to wait for a condition: the requested or the default time, limited by the call's deadline.
    pub(crate) fn waiting(&self, ms: Option<u64>) -> Option<u64> {
        self.within(ms.or(Some(millis(DEFAULT_WAIT))))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// One tool.
pub(crate) trait McpTool: Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const ACCESS: Access;
    /// Hints for clients. Typed input can reach and destroy anything.
    const DESTRUCTIVE: bool = matches!(Self::ACCESS, Access::Destroy);
    const OPEN_WORLD: bool = matches!(Self::ACCESS, Access::Write);
    const IDEMPOTENT: bool = matches!(Self::ACCESS, Access::Read);
    type Params: DeserializeOwned + JsonSchema + Send;
    type Reply: Serialize + JsonSchema + Send;

    fn call(call: Call, params: Self::Params) -> impl Future<Output = Result<Self::Reply, ApiError>> + Send;
}

type Calling = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

/// A tool in the table of its set.
pub(crate) struct ToolEntry {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    access: Access,
    destructive: bool,
    open_world: bool,
    idempotent: bool,
    params: fn() -> JsonObject,
    reply: fn() -> JsonObject,
    call: fn(Call, JsonObject) -> Calling,
}

pub(crate) const fn entry<T: McpTool>() -> ToolEntry {
    ToolEntry {
        name: T::NAME,
        title: T::TITLE,
        description: T::DESCRIPTION,
        access: T::ACCESS,
        destructive: T::DESTRUCTIVE,
        open_world: T::OPEN_WORLD,
        idempotent: T::IDEMPOTENT,
        params: input_schema::<T::Params>,
        reply: output_schema::<T::Reply>,
        call: |call, arguments| Box::pin(answer::<T>(call, arguments)),
    }
}

impl ToolEntry {
    /// The description for clients; made once, because every HTTP request needs the offered tools.
    pub(crate) fn described(&'static self) -> &'static Tool {
        static DESCRIBED: Mutex<BTreeMap<usize, &'static Tool>> = Mutex::new(BTreeMap::new());
        let mut described = DESCRIBED.lock().unwrap_or_else(PoisonError::into_inner);
        // Keyed by address in memory: two sets may have tools of the same name.
        let address = std::ptr::from_ref(self).addr();
        described.entry(address).or_insert_with(|| Box::leak(Box::new(self.describe())))
    }

    pub(crate) fn describe(&self) -> Tool {
        let hints = ToolAnnotations::new()
            .read_only(self.access == Access::Read)
            .destructive(self.destructive)
            .idempotent(self.idempotent)
            .open_world(self.open_world);
        Tool::new(self.name, self.description, Arc::new((self.params)()))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.reply)()))
            .with_annotations(hints)
    }

    pub(crate) fn call(&self, call: Call, arguments: JsonObject) -> Calling {
        (self.call)(call, arguments)
    }
}

async fn answer<T: McpTool>(call: Call, arguments: JsonObject) -> CallToolResult {
    let advisor = call.advisor.clone();
    // Models often send `null` for parameters that they omit.
    let params = serde_json::from_value(without_nulls(Value::Object(arguments)))
        .map_err(|error| ApiError::invalid(format!("{}: {error}", T::NAME)));
    let reply = match params {
        Ok(params) => T::call(call, params).await,
        Err(error) => Err(error),
    };
    let value = reply.and_then(|reply| {
        serde_json::to_value(reply).map_err(|error| ApiError::Broken { error: error.to_string() })
    });
    // Some clients show the model only `content`, others only `structuredContent`: each contains the whole answer.
    match value {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Err(error) => refusal(advisor.error(error)),
    }
}

/// Most bytes of an error's sentence: it may quote input of any length.
const SENTENCE: usize = 2000;

pub(crate) fn short(mut text: String) -> String {
    if text.len() > SENTENCE {
        text.truncate(text.floor_char_boundary(SENTENCE));
        text.push('…');
    }
    text
}

/// A short form of an error, without its cause as data: a model does not read that.
pub(crate) fn brief(error: ErrorBody) -> ErrorBody {
    ErrorBody { message: short(error.message), hint: error.hint.map(short), cause: None, ..error }
}

/// An error as a tool's answer.
pub(crate) fn refusal(error: ErrorBody) -> CallToolResult {
    let error = brief(error);
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    result.structured_content = Some(json!({ "error": error }));
    result
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
