use cotty_protocol::ApiError;
use cotty_protocol::op::capture::{self, Action};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::look;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct StopCapture;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    #[serde(flatten)]
    capture: capture::Reply,
}

impl McpTool for StopCapture {
    const NAME: &'static str = "pty_stop_capture";
    const TITLE: &'static str = "Stop a capture";
    const DESCRIPTION: &'static str =
        "End a session's capture; answers with its file, which is complete by then.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = look(&call, &params.session_id).await?;
        let stop = capture::Params { session: info.session_id, action: Action::Stop, dir: None };
        let capture = perform(call.context.clone(), stop).await?;
        Ok(Reply { session_id: info.number, capture })
    }
}
