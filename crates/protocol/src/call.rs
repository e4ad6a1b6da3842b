use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ErrorBody;

/// One operation as a value: what, by whom, from where, and under which id, so that a retry happens once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The operation's name.
    pub op: String,
    /// Chosen by the client, the same on every retry.
    pub retry_id: String,
    /// Who says that it asks.
    pub caller: Caller,
    /// The process that asks; sessions take their environment from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The operation's parameters.
    #[serde(default)]
    pub params: Value,
}

/// The answer to a [`Call`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The operation's reply.
    Ok(Value),
    /// Why there is none.
    Error(ErrorBody),
}

/// What kind of actor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// Somebody at a keyboard.
    Person,
    /// A program that works for somebody.
    Agent,
    /// A process inside an agent's session.
    Child,
}

/// Who a client says it is; the daemon decides what to believe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// What it is.
    pub kind: ActorKind,
    /// Its name, for lists and logs (`cotty cli`, `claude-code`).
    pub client: String,
}

/// The process behind a call: where it stands and what its environment is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Its working directory.
    pub cwd: String,
    /// Its environment. The daemon filters it before a child sees it.
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

/// The first line of an MCP pipe: who it is. MCP's own lines follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpHello {
    /// Random, the same for the pipe's whole life: with an MCP request's id it makes an operation happen once.
    pub instance: String,
    /// The process that started the pipe.
    pub origin: Origin,
    /// Names of tool sets; the default set where none are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Names of tools to show; all of the sets where none are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// How long a call may last, in milliseconds; 50,000 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_call_ms: Option<u64>,
    /// Calls that a daemon before left open and that are said again: their time goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<McpOpen>,
}

/// A call that is said again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpOpen {
    /// The request's id: a string or a number.
    pub id: serde_json::Value,
    /// How long ago the client made it.
    pub ms: u64,
}
