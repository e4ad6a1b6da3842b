use cotty_protocol::ApiError;
use cotty_protocol::op::destroy;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct DestroySession;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session to end.
    session_id: String,
    /// Kill at once (SIGKILL) instead of asking first. Default: false.
    #[serde(default)]
    force: bool,
}

impl McpTool for DestroySession {
    const NAME: &'static str = "terminal__destroy_session";
    const TITLE: &'static str = "End a terminal";
    const DESCRIPTION: &'static str = "End a session and everything it started.";
    const ACCESS: Access = Access::Destroy;
    const IDEMPOTENT: bool = true;
    type Params = Params;
    type Reply = destroy::Reply;

    async fn call(call: Call, params: Params) -> Result<destroy::Reply, ApiError> {
        perform(call.context, destroy::Params { session: params.session_id, force: params.force }).await
    }
}
