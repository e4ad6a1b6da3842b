use cotty_protocol::ApiError;
use cotty_protocol::op::capture::{self, Action};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::look;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct StartCapture;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    /// Lines of JSON: {"timestamp", "data"}.
    capture_file: String,
}

impl McpTool for StartCapture {
    const NAME: &'static str = "pty_start_capture";
    const TITLE: &'static str = "Start a capture";
    const DESCRIPTION: &'static str =
        "Write all output of a session from now on to a file of its own, however much it is.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = look(&call, &params.session_id).await?;
        let start = capture::Params { session: info.session_id, action: Action::Start, dir: None };
        let capture = perform(call.context.clone(), start).await?;
        Ok(Reply { session_id: info.number, capture_file: capture.capture_file })
    }
}
