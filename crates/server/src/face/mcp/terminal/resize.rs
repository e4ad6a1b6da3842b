use cotty_protocol::Fault;
use cotty_protocol::op::resize;
use schemars::JsonSchema;
use serde::Deserialize;

use super::hints::ours;
use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{self, Access, perform};

pub(super) struct Resize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    /// Rows. Default: as they are.
    rows: Option<u16>,
    /// Columns. Default: as they are.
    cols: Option<u16>,
}

impl McpTool for Resize {
    const NAME: &'static str = "terminal__resize";
    const TITLE: &'static str = "Resize a terminal";
    const DESCRIPTION: &'static str =
        "Give a session another size; its program is told, wrapped lines flow anew.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    const IDEMPOTENT: bool = true;
    type Params = Params;
    type Reply = resize::Reply;

    async fn call(call: Call, params: Params) -> Result<resize::Reply, Fault> {
        let Params { session_id: session, rows, cols } = params;
        perform::<ops::Resize>(call.context, resize::Params { session, rows, cols, fit: false })
            .await
            .map_err(ours)
    }
}
