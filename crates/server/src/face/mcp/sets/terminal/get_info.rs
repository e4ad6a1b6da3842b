use cotty_protocol::ApiError;
use cotty_protocol::op::info;
use schemars::JsonSchema;
use serde::Deserialize;

use super::session::Session;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct GetInfo;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
}

impl McpTool for GetInfo {
    const NAME: &'static str = "terminal__get_info";
    const TITLE: &'static str = "Look at a terminal's state";
    const DESCRIPTION: &'static str =
        "Describe a session (program, directory, cursor, state, whether it has exited), without its content.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Session;

    async fn call(call: Call, params: Params) -> Result<Session, ApiError> {
        let info = perform(call.context, info::Params { session: params.session_id }).await?;
        Ok(info.into())
    }
}
