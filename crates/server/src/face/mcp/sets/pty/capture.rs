use cotty_protocol::ApiError;
use cotty_protocol::op::capture::{self, Action};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
}

async fn capture(call: &Call, params: &Params, action: Action) -> Result<(u32, capture::Reply), ApiError> {
    let info = find_session(call, &params.session_id).await?;
    let asked = capture::Params { session: info.session_id, action, dir: None };
    Ok((info.number, perform(call.context.clone(), asked).await?))
}

pub(super) struct StartCapture;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Started {
    session_id: u32,
    /// Lines of JSON: {"timestamp", "data"}.
    capture_file: String,
}

impl McpTool for StartCapture {
    const NAME: &'static str = "pty_start_capture";
    const TITLE: &'static str = "Start a capture";
    const DESCRIPTION: &'static str =
        "From now on, write all output of a session to a file, however much it is.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    type Params = Params;
    type Reply = Started;

    async fn call(call: Call, params: Params) -> Result<Started, ApiError> {
        let (session_id, capture) = capture(&call, &params, Action::Start).await?;
        Ok(Started { session_id, capture_file: capture.capture_file })
    }
}

pub(super) struct StopCapture;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Stopped {
    session_id: u32,
    #[serde(flatten)]
    capture: capture::Reply,
}

impl McpTool for StopCapture {
    const NAME: &'static str = "pty_stop_capture";
    const TITLE: &'static str = "Stop a capture";
    const DESCRIPTION: &'static str =
        "Stop a session's capture. Returns its file, which is complete by then.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    type Params = Params;
    type Reply = Stopped;

    async fn call(call: Call, params: Params) -> Result<Stopped, ApiError> {
        let (session_id, capture) = capture(&call, &params, Action::Stop).await?;
        Ok(Stopped { session_id, capture })
    }
}
