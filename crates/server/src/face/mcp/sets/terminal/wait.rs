use cotty_protocol::ApiError;
use cotty_protocol::op::wait::{self, LastCommand};
use cotty_protocol::op::{self, Met};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Wait;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(super) struct Params {
    /// The session.
    session_id: String,
    #[serde(flatten)]
    wait: op::Wait,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// Which condition held.
    met: Met,
    elapsed_ms: u64,
    #[serde(flatten)]
    state: State,
    exited: bool,
    exit_code: Option<i32>,
    screen: String,
    /// The line that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<String>,
    /// Met by prompt: how the last command ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<LastCommand>,
    next_since: u64,
}

impl McpTool for Wait {
    const NAME: &'static str = "terminal__wait";
    const TITLE: &'static str = "Wait for a terminal";
    const DESCRIPTION: &'static str = "Wait until the first of the given conditions holds; the program's end ends every wait. The echo of your input never counts. A call lasts at most 50000 ms.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let mut wait = params.wait;
        wait.timeout_ms = match wait.has_condition() {
            true => call.waiting(wait.timeout_ms),
            false => call.within(wait.timeout_ms),
        };
        let asked = wait::Params { session: params.session_id, wait };
        let waited = perform(call.context.clone(), asked).await?;
        let elapsed_ms = call.lasted_ms(waited.elapsed_ms);
        let state = State::new(waited.activity, waited.keyboard);
        if waited.met == Met::Timeout {
            return Err(ApiError::WaitTimeout {
                elapsed_ms,
                why: waited.why.unwrap_or_default(),
                nested: state.is_nested(),
                held_by: state.held_by().map(str::to_owned),
                activity: state.activity().clone(),
                seq: waited.seq,
            });
        }
        Ok(Reply {
            met: waited.met,
            elapsed_ms,
            state,
            exited: waited.exited,
            exit_code: waited.exit_code,
            screen: waited.screen,
            matched: waited.matched,
            command: waited.command,
            next_since: waited.seq,
        })
    }
}
