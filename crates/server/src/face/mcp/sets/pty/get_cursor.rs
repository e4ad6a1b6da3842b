use cotty_protocol::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::Access;

pub(super) struct GetCursor;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    /// [column, row] on the screen, from 0.
    position: [u16; 2],
}

impl McpTool for GetCursor {
    const NAME: &'static str = "pty_get_cursor";
    const TITLE: &'static str = "Find a terminal's cursor";
    const DESCRIPTION: &'static str = "Where a session's cursor is: [column, row], from 0.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = find_session(&call, &params.session_id).await?;
        Ok(Reply { session_id: info.number, position: [info.cursor.col - 1, info.cursor.row - 1] })
    }
}
