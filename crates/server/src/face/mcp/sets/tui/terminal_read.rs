use cotty_protocol::ApiError;
use cotty_protocol::op::read;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{find_window, window};
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct TerminalRead;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Which window, e.g. "win_3". Default: the front-most.
    window_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    success: bool,
    /// Every row, blank or not, ends with a newline; trailing spaces are removed.
    text: String,
    /// The window that was read.
    window_id: String,
    #[serde(flatten)]
    state: State,
}

impl McpTool for TerminalRead {
    const NAME: &'static str = "tui_terminal_read";
    const TITLE: &'static str = "Read a window";
    const DESCRIPTION: &'static str = "Read the text of a terminal window.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = find_window(&call, params.window_id).await?;
        let (session, view) = (info.session_id, read::View::Lines);
        let read =
            perform(call.context.clone(), read::Params { session, view, ..read::Params::default() }).await?;
        Ok(Reply {
            success: true,
            text: window_text(&read.content),
            window_id: window(info.number),
            state: State::new(read.activity, Some(info.keyboard)),
        })
    }
}

/// Converts rows to a window's text.
fn window_text(rows: &str) -> String {
    rows.split('\n').flat_map(|row| [row.trim_end_matches([' ', '\t']), "\n"]).collect()
}
