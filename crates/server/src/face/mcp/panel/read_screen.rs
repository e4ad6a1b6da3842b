use cotty_protocol::op::panels::Panel;
use cotty_protocol::op::{self, info, snapshot, wait};
use cotty_protocol::update::Snapshot;
use cotty_protocol::{Code, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{in_our_words, panels, there_are, which};
use crate::face::mcp::state::State;
use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{self, Access, Info, Wait, perform};

/// A screen that did not change for so long is still.
const STILL_MS: u64 = 100;

pub(super) struct ReadScreen;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Params {
    /// Which panel. Default: your only one.
    panel_id: Option<String>,
    /// Wait until the screen is still, but not longer than this many ms. Default: answer at once.
    timeout_ms: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reply {
    panel_id: String,
    /// The screen: its lines from the top, right-trimmed, and the cursor; columns x and rows y count from 0.
    snapshot: Snapshot,
    #[serde(flatten)]
    state: State,
}

impl McpTool for ReadScreen {
    const NAME: &'static str = "terminal_read_screen";
    const TITLE: &'static str = "Look at a panel";
    const DESCRIPTION: &'static str = "What a terminal panel shows, and where its cursor is.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, Fault> {
        let panel = chosen(panels(&call).await?, params.panel_id.filter(|id| !id.is_empty()))?;
        let session = panel.session_id;
        if let Some(timeout_ms) = call.within(params.timeout_ms).filter(|&ms| ms > 0) {
            let still =
                op::Wait { idle_ms: Some(STILL_MS), timeout_ms: Some(timeout_ms), ..op::Wait::default() };
            perform::<Wait>(call.context.clone(), wait::Params { session: session.clone(), wait: still })
                .await
                .map_err(in_our_words)?;
        }
        // The state first: a screen may be newer than what is said of it, never older.
        let info = perform::<Info>(call.context.clone(), info::Params { session: session.clone() })
            .await
            .map_err(in_our_words)?;
        let snapshot = perform::<ops::Snapshot>(call.context.clone(), snapshot::Params { session })
            .await
            .map_err(in_our_words)?;
        Ok(Reply {
            panel_id: panel.panel_id,
            snapshot,
            state: State::new(info.activity, Some(info.keyboard)),
        })
    }
}

fn chosen(mut panels: Vec<Panel>, id: Option<String>) -> Result<Panel, Fault> {
    let found = match &id {
        Some(id) => panels.iter().position(|panel| panel.panel_id == *id),
        None if panels.len() > 1 => return Err(which(&panels)),
        None => (!panels.is_empty()).then_some(0),
    };
    match (found, id) {
        (Some(found), _) => Ok(panels.swap_remove(found)),
        (None, Some(id)) => Err(Fault::new(Code::SessionNotFound, format!("there is no panel `{id}`"))
            .with_hint(there_are(&panels))),
        (None, None) => {
            Err(Fault::new(Code::SessionNotFound, "there is no panel").with_hint(there_are(&panels)))
        }
    }
}
