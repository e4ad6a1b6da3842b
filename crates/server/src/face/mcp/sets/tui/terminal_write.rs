use cotty_protocol::ApiError;
use cotty_protocol::op::info;
use cotty_protocol::op::send::{self, Paste};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{find_window, window};
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct TerminalWrite;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// What to type; \n is the Enter key.
    text: String,
    /// Which window, e.g. "win_3". Default: the front-most.
    window_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    success: bool,
    /// The window that was typed into.
    window_id: String,
    #[serde(flatten)]
    state: State,
}

impl McpTool for TerminalWrite {
    const NAME: &'static str = "tui_terminal_write";
    const TITLE: &'static str = "Type into a window";
    const DESCRIPTION: &'static str = "Type text into a terminal window.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let session = find_window(&call, params.window_id).await?.session_id;
        let send = send::Params {
            session: session.clone(),
            text: Some(params.text),
            // As keys, not as a paste.
            paste: Paste::Never,
            ..send::Params::default()
        };
        perform(call.context.clone(), send).await?;
        let info = perform(call.context.clone(), info::Params { session }).await?;
        let state = State::new(info.activity, Some(info.keyboard));
        Ok(Reply { success: true, window_id: window(info.number), state })
    }
}
