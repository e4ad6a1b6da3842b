use cotty_protocol::ApiError;
use cotty_protocol::op::send::{self, Paste};
use cotty_protocol::op::{info, panel_open};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{panels, which};
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Write;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Params {
    /// What to type; \n is the Enter key.
    text: String,
    /// Which panel; a new name opens a new one. Default: your only panel, or a new one if you have none.
    panel_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reply {
    ok: bool,
    panel_id: String,
    /// Present if this call opened the panel.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    opened: bool,
    #[serde(flatten)]
    state: State,
}

impl McpTool for Write {
    const NAME: &'static str = "terminal_write";
    const TITLE: &'static str = "Type into a panel";
    const DESCRIPTION: &'static str = "Type text into a terminal panel. The first call, and any new panelId, opens a panel with your shell.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let panels = panels(&call).await?;
        let wanted = match params.panel_id.filter(|id| !id.is_empty()) {
            Some(id) => Some(id),
            None => match panels.as_slice() {
                [] => None,
                [only] => Some(only.panel_id.clone()),
                _ => return Err(which(&panels)),
            },
        };
        // A panel that runs is found, any other is opened.
        let panel = perform(call.context.clone(), panel_open::Params { panel_id: wanted }).await?;
        let send = send::Params {
            session: panel.session_id.clone(),
            text: Some(params.text),
            // As keys, not as a paste.
            paste: Paste::Never,
            ..send::Params::default()
        };
        perform(call.context.clone(), send).await?;
        let info = perform(call.context.clone(), info::Params { session: panel.session_id }).await?;
        let state = State::new(info.activity, Some(info.keyboard));
        Ok(Reply { ok: true, panel_id: panel.panel_id, opened: panel.opened, state })
    }
}
