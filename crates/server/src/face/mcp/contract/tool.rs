//! What a tool is: a name, a schema, and a translation into an operation.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cotty_protocol::{ApiError, ErrorBody};
use cotty_session::USUAL_WAIT;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::face::mcp::advice::Advisor;
use crate::face::mcp::contract::schema::{input_schema, output_schema};
use crate::face::mcp::elicitation::Client;
use crate::ops::{Access, Context};

/// No call lasts longer unless the client is known to wait: most cut at 60 seconds.
const LONGEST_CALL_MS: u64 = 50_000;

/// How long a call may last for a client that said so.
pub(crate) fn longest(asked_ms: Option<u64>) -> Duration {
    // Who would wait for ever would wait for a day.
    Duration::from_millis(asked_ms.unwrap_or(LONGEST_CALL_MS).min(24 * 60 * 60 * 1000))
}

/// One call of a tool: who asks, and until when the answer may take.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) context: Context,
    /// How long it has lasted before, where a daemon died in the middle of it.
    pub(crate) spent: Duration,
    /// When it came to this daemon.
    pub(crate) heard: Instant,
    pub(crate) until: Instant,
    /// Who called; see [`Call::ask`].
    pub(crate) client: Client,
    pub(crate) on_cancel: OnCancel,
    /// How the client is advised.
    pub(crate) advisor: Advisor,
}

type Undoing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What is done when the client cancels a call, beside ending its wait. Not when the client or the daemon is gone.
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
    /// How much is left of what the call may take.
    pub(crate) fn left_ms(&self) -> u64 {
        millis(self.until.saturating_duration_since(Instant::now()))
    }

    /// What is left of a time that was asked for, within what the call may take.
    pub(crate) fn within(&self, ms: Option<u64>) -> Option<u64> {
        ms.map(|ms| ms.saturating_sub(millis(self.spent)).min(self.left_ms()))
    }

    /// How long it has lasted in all. Of `ms` its session knows; where a daemon died in the middle, more counts than that: also
    /// the time until this one had the session.
    pub(crate) fn lasted_ms(&self, ms: u64) -> u64 {
        match self.spent.is_zero() {
            true => ms,
            false => millis(self.spent.saturating_add(self.heard.elapsed())),
        }
    }

    /// The same call where it does not begin with its wait: whose time was spent is not known.
    pub(crate) fn afresh(self) -> Call {
        Call { spent: Duration::ZERO, ..self }
    }

    /// How long to wait for a condition: what was asked for, or the usual time, within what the call may take.
    pub(crate) fn waiting(&self, ms: Option<u64>) -> Option<u64> {
        self.within(ms.or(Some(millis(USUAL_WAIT))))
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
    /// What clients are told beside; what is typed can reach anything, and undo anything.
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
    /// As clients are told; made once, because over HTTP every request asks anew what it is offered.
    pub(crate) fn described(&'static self) -> &'static Tool {
        static DESCRIBED: Mutex<BTreeMap<usize, &'static Tool>> = Mutex::new(BTreeMap::new());
        let mut described = DESCRIBED.lock().unwrap_or_else(PoisonError::into_inner);
        // By its place in memory: two sets may have tools of one name.
        let place = std::ptr::from_ref(self).addr();
        described.entry(place).or_insert_with(|| Box::leak(Box::new(self.describe())))
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
    // Models like to say `null` for what they do not give.
    let params = serde_json::from_value(without_nulls(Value::Object(arguments)))
        .map_err(|error| ApiError::invalid(format!("{}: {error}", T::NAME)));
    let reply = match params {
        Ok(params) => T::call(call, params).await,
        Err(error) => Err(error),
    };
    let value = reply.and_then(|reply| {
        serde_json::to_value(reply).map_err(|error| ApiError::Broken { error: error.to_string() })
    });
    // Some clients show the model only `content`, others only `structuredContent`: each is the whole answer.
    match value {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Err(error) => refusal(advisor.error(error)),
    }
}

/// Most bytes of an error's sentence: it may repeat what was given, and that may be anything.
const SENTENCE: usize = 2000;

pub(crate) fn short(mut text: String) -> String {
    if text.len() > SENTENCE {
        text.truncate(text.floor_char_boundary(SENTENCE));
        text.push('…');
    }
    text
}

/// An error in sentences that are not too long, and said once: a model does not read it as data, too.
pub(crate) fn brief(error: ErrorBody) -> ErrorBody {
    ErrorBody { message: short(error.message), hint: error.hint.map(short), cause: None, ..error }
}

/// An error as a model sees it.
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
