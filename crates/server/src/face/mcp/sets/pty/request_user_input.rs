use cotty_protocol::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::face::mcp::handoff::{self, Asking, Reply};
use crate::ops::Access;

pub(super) struct RequestUserInput;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    #[serde(flatten)]
    asking: Asking,
}

impl McpTool for RequestUserInput {
    const NAME: &'static str = "pty_request_user_input";
    const TITLE: &'static str = handoff::TITLE;
    const DESCRIPTION: &'static str = handoff::DESCRIPTION;
    const ACCESS: Access = Access::Ask;
    type Params = Params;
    type Reply = Reply<u32>;

    async fn call(call: Call, params: Params) -> Result<Reply<u32>, ApiError> {
        let (_, session_id, asked) = params.asking.ask(call, params.session_id.to_string()).await?;
        Ok(Reply { session_id, asked })
    }
}
