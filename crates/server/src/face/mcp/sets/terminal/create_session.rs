use std::collections::BTreeMap;

use cotty_protocol::ApiError;
use cotty_protocol::op::{Dimensions, create};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::state::Doing;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Default limit for a shell to show its first prompt.
const READY_MS: u64 = 5_000;

pub(super) struct CreateSession;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Program to run. Default: your shell ($SHELL).
    program: Option<String>,
    /// Its arguments.
    #[serde(default)]
    args: Vec<String>,
    /// Rows. Default: 24.
    rows: Option<u16>,
    /// Columns. Default: 80.
    cols: Option<u16>,
    /// Additional environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Working directory. Default: yours.
    cwd: Option<String>,
    /// Return only when the prompt is there. Default: true for shells.
    wait_ready: Option<bool>,
    /// Limit of wait_ready, in ms. Default: 5000.
    ready_timeout_ms: Option<u64>,
    /// A name to use instead of the id.
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: String,
    pid: u32,
    program: String,
    dimensions: Dimensions,
    ready: bool,
    state: Doing,
    /// The foreground program, if another.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreground: Option<String>,
    next_since: u64,
}

impl McpTool for CreateSession {
    const NAME: &'static str = "terminal__create_session";
    const TITLE: &'static str = "Create a terminal";
    const DESCRIPTION: &'static str = "Start a shell or any program in a new terminal. It stays until it is destroyed. Returns the session_id for the other tools.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let params = create::Params {
            // An agent must not grant itself these rights.
            allow: Vec::new(),
            prompt_pattern: None,
            record: None,
            program: params.program,
            args: params.args,
            command: None,
            name: params.name,
            rows: params.rows,
            cols: params.cols,
            env: params.env,
            cwd: params.cwd,
            wait_ready: params.wait_ready,
            ready_timeout_ms: call.within(params.ready_timeout_ms.or(Some(READY_MS))),
        };
        let made = perform(call.context, params).await?;
        let (state, foreground) = Doing::of(made.activity);
        Ok(Reply {
            session_id: made.session_id,
            pid: made.pid,
            program: made.program,
            dimensions: made.dimensions,
            ready: made.ready,
            state,
            foreground,
            next_since: made.seq,
        })
    }
}
