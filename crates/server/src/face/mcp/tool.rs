//! What a tool is: a name, a schema, and a translation into an operation.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use cotty_protocol::{Code, Fault};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ask::Client;
use super::schema::{input_schema, output_schema};
use crate::ops::{Access, Context};

/// No call lasts longer unless the client is known to wait: most cut at 60 seconds.
pub(super) const LONGEST_CALL_MS: u64 = 50_000;

/// One call of a tool: who asks, and how long the answer may take.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) context: Context,
    pub(super) longest_ms: u64,
    /// Who called; see [`Call::ask`].
    pub(super) client: Client,
    pub(super) on_cancel: OnCancel,
}

type Undoing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What is done when the client cancels a call, beside ending its wait. Not when the client or the daemon is gone.
#[derive(Clone, Default)]
pub(super) struct OnCancel(Arc<Mutex<Option<Undoing>>>);

impl OnCancel {
    pub(super) fn set(&self, undo: impl Future<Output = ()> + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(undo));
    }

    pub(super) async fn done(&self) {
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
    /// A time that was asked for, within what a call may take.
    pub(super) fn within(&self, ms: Option<u64>) -> Option<u64> {
        ms.map(|ms| ms.min(self.longest_ms))
    }
}

/// One tool.
pub(super) trait McpTool: Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const ACCESS: Access;
    /// What is typed can reach anything.
    const OPEN_WORLD: bool = matches!(Self::ACCESS, Access::Write);
    type Params: DeserializeOwned + JsonSchema + Send;
    type Reply: Serialize + JsonSchema + Send;

    fn call(call: Call, params: Self::Params) -> impl Future<Output = Result<Self::Reply, Fault>> + Send;
}

type Calling = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

/// A tool in the table of its set.
pub(super) struct Entry {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    access: Access,
    open_world: bool,
    params: fn() -> JsonObject,
    reply: fn() -> JsonObject,
    call: fn(Call, JsonObject) -> Calling,
}

pub(super) const fn entry<T: McpTool>() -> Entry {
    Entry {
        name: T::NAME,
        title: T::TITLE,
        description: T::DESCRIPTION,
        access: T::ACCESS,
        open_world: T::OPEN_WORLD,
        params: input_schema::<T::Params>,
        reply: output_schema::<T::Reply>,
        call: |call, arguments| Box::pin(answer::<T>(call, arguments)),
    }
}

impl Entry {
    /// As clients are told; made once, because over HTTP every request asks anew what it is offered.
    pub(super) fn described(&'static self) -> &'static Tool {
        static DESCRIBED: Mutex<BTreeMap<usize, &'static Tool>> = Mutex::new(BTreeMap::new());
        let mut described = DESCRIBED.lock().unwrap_or_else(PoisonError::into_inner);
        // By its place in memory: two sets may have tools of one name.
        let place = std::ptr::from_ref(self).addr();
        described.entry(place).or_insert_with(|| Box::leak(Box::new(self.describe())))
    }

    pub(super) fn describe(&self) -> Tool {
        let hints = ToolAnnotations::new()
            .read_only(self.access == Access::Read)
            .destructive(self.access == Access::Destroy)
            .open_world(self.open_world);
        Tool::new(self.name, self.description, Arc::new((self.params)()))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.reply)()))
            .with_annotations(hints)
    }

    pub(super) fn call(&self, call: Call, arguments: JsonObject) -> Calling {
        (self.call)(call, arguments)
    }
}

async fn answer<T: McpTool>(call: Call, arguments: JsonObject) -> CallToolResult {
    let params = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Fault::new(Code::InvalidInput, format!("{}: {error}", T::NAME)));
    let reply = match params {
        Ok(params) => T::call(call, params).await,
        Err(fault) => Err(fault),
    };
    let value = reply.and_then(|reply| {
        serde_json::to_value(reply).map_err(|error| Fault::new(Code::SessionError, error.to_string()))
    });
    // Some clients show the model only `content`, others only `structuredContent`: each is the whole answer.
    match value {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Err(fault) => refusal(&fault),
    }
}

/// A fault as a model sees it.
pub(super) fn refusal(fault: &Fault) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(fault.to_string())]);
    result.structured_content = Some(json!({ "error": fault }));
    result
}

/// Refuses parameters that the schema does not have, nested ones too: serde cannot where structs are flattened.
pub(super) fn check_names(schema: &JsonObject, given: &JsonObject, tool: &str) -> Result<(), Fault> {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for (name, value) in given {
        let Some(schema) = known.get(name) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            return Err(Fault::new(Code::InvalidInput, format!("{tool} has no parameter `{name}`"))
                .with_hint(format!("it has: {}", names.join(", "))));
        };
        if let (Value::Object(schema), Value::Object(value)) = (schema, value) {
            check_names(schema, value, &format!("{tool}.{name}"))?;
        }
    }
    Ok(())
}
