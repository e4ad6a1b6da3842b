use cotty_protocol::ApiError;
use cotty_protocol::op::{Dimensions, info, resize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

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

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    dimensions: Dimensions,
    #[serde(flatten)]
    state: State,
}

impl McpTool for Resize {
    const NAME: &'static str = "terminal__resize";
    const TITLE: &'static str = "Resize a terminal";
    const DESCRIPTION: &'static str = "Resize a session; its program is notified, wrapped lines reflow.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    const IDEMPOTENT: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let Params { session_id: session, rows, cols } = params;
        let asked = resize::Params { session: session.clone(), rows, cols, fit: false };
        let resized = perform(call.context.clone(), asked).await?;
        let info = perform(call.context, info::Params { session }).await?;
        let state = State::new(info.activity, Some(info.keyboard));
        Ok(Reply { dimensions: resized.dimensions, state })
    }
}
