use cotty_protocol::ApiError;
use cotty_protocol::op::configure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct SetScrollback;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// Lines above the screen to keep, up to 1000000. A session starts with 1000.
    lines: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    scrollback_lines: usize,
}

impl McpTool for SetScrollback {
    const NAME: &'static str = "pty_set_scrollback";
    const TITLE: &'static str = "Change a terminal's history";
    const DESCRIPTION: &'static str = "Change how many lines of history a session keeps.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    const IDEMPOTENT: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = find_session(&call, &params.session_id).await?;
        let configure = configure::Params { session: info.session_id, history_lines: Some(params.lines) };
        let set = perform(call.context.clone(), configure).await?;
        Ok(Reply { session_id: info.number, scrollback_lines: set.history_lines })
    }
}
