use cotty_protocol::ApiError;
use cotty_protocol::op::resize;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Resize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// Columns, 2 to 1000.
    cols: u16,
    /// Rows, 1 to 1000.
    rows: u16,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    /// [columns, rows].
    size: [u16; 2],
}

impl McpTool for Resize {
    const NAME: &'static str = "pty_resize";
    const TITLE: &'static str = "Resize a terminal";
    const DESCRIPTION: &'static str = "Resize a session; its program is notified.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    const IDEMPOTENT: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = find_session(&call, &params.session_id).await?;
        let resize = resize::Params {
            session: info.session_id,
            cols: Some(params.cols),
            rows: Some(params.rows),
            fit: false,
        };
        let size = perform(call.context.clone(), resize).await?.dimensions;
        Ok(Reply { session_id: info.number, size: [size.cols, size.rows] })
    }
}
