use cotty_protocol::ApiError;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::face::mcp::handoff::{self, Asking, Reply};
use crate::ops::Access;

pub(super) struct RequestUserInput;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    #[serde(flatten)]
    asking: Asking,
}

impl McpTool for RequestUserInput {
    const NAME: &'static str = "terminal__request_user_input";
    const TITLE: &'static str = handoff::TITLE;
    const DESCRIPTION: &'static str = handoff::DESCRIPTION;
    const ACCESS: Access = Access::Ask;
    type Params = Params;
    type Reply = Reply<String>;

    async fn call(call: Call, params: Params) -> Result<Reply<String>, ApiError> {
        let (session_id, _, asked) = params.asking.ask(call, params.session_id).await?;
        Ok(Reply { session_id, asked })
    }
}
