use cotty_protocol::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::face::mcp::handoff::{Asked, Asking};
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

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    #[serde(flatten)]
    asked: Asked,
}

impl McpTool for RequestUserInput {
    const NAME: &'static str = "pty_request_user_input";
    const TITLE: &'static str = "Ask a person to take over";
    const DESCRIPTION: &'static str = "Hand the terminal to a person: they see your message and the screen, take the keyboard, and give it back when they are done. Use it for passwords, decisions and whatever you cannot do yourself. After at most 50 s the outcome is \"waiting\": call again with request_id. Cancelling the call withdraws it.";
    const ACCESS: Access = Access::Ask;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let (_, session_id, asked) = params.asking.ask(call, params.session_id.to_string()).await?;
        Ok(Reply { session_id, asked })
    }
}
