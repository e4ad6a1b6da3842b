use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ErrorBody;

/// One operation as a value: the operation, its caller, its origin, and a retry id, so that a retry does not act twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The operation's name.
    pub op: String,
    /// Chosen by the client, the same on every retry.
    pub retry_id: String,
    /// Who the client says it is.
    pub caller: Caller,
    /// The calling process; sessions take their environment from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The operation's parameters.
    #[serde(default)]
    pub params: Value,
}

/// The answer to a [`Call`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer<T = Value> {
    /// The operation's reply.
    Ok(T),
    /// Why the operation failed.
    Error(ErrorBody),
}

/// The kind of actor that calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A human at a keyboard.
    Person,
    /// A program that works for a person.
    Agent,
    /// A process inside an agent's session.
    Child,
}

/// Who a client says it is; the daemon decides what to believe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// The kind of actor.
    pub kind: ActorKind,
    /// Its name, for lists and logs (`cotty cli`, `claude-code`).
    pub client: String,
}

/// The process behind a call: its working directory and environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Its working directory.
    pub cwd: String,
    /// Its environment. The daemon filters it before it starts a child.
    pub env: BTreeMap<String, String>,
}

impl Origin {
    /// This process. Names and values that are not UTF-8 are left out.
    pub fn of_this_process() -> Origin {
        let cwd =
            std::env::current_dir().map(|d| d.to_string_lossy().into_owned()).unwrap_or_else(|_| "/".into());
        let env =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        Origin { cwd, env: env.collect() }
    }
}

/// The first line of an MCP pipe: it introduces the pipe. MCP messages follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpHello {
    /// Random, the same for the pipe's whole life. With an MCP request's id it forms the retry id.
    pub instance: String,
    /// The process that started the pipe.
    pub origin: Origin,
    /// Names of tool sets; default: the standard set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Names of tools to show; default: all tools of the sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// How long a call may last, in milliseconds; default: 50,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_call_ms: Option<u64>,
    /// Calls that an earlier daemon left open and that the pipe sends again: their time keeps running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<McpOpen>,
}

/// A call that the pipe sends again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpOpen {
    /// The request's id: a string or a number.
    pub id: serde_json::Value,
    /// How long ago the client made it.
    pub ms: u64,
}
