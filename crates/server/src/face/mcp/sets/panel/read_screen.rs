use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::op::panels::Panel;
use cotty_protocol::op::{self, info, snapshot, wait};
use cotty_protocol::update::Snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{names, panels, which};
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// A screen that does not change for this long is still.
const STILL_MS: u64 = 100;

pub(super) struct ReadScreen;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Params {
    /// Which panel. Default: your only one.
    panel_id: Option<String>,
    /// Wait until no program is working and the screen is still, at most this many ms. Default: answer at once.
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
    const DESCRIPTION: &'static str = "Read the screen and the cursor of a terminal panel.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let panel = chosen(panels(&call).await?, params.panel_id.filter(|id| !id.is_empty()))?;
        let session = panel.session_id;
        if let Some(timeout_ms) = call.within(params.timeout_ms).filter(|&ms| ms > 0) {
            settle(&call, &session, timeout_ms).await?;
        }
        // The state comes first: the screen may be newer than the state, never older.
        let info = perform(call.context.clone(), info::Params { session: session.clone() }).await?;
        let snapshot = perform(call.context.clone(), snapshot::Params { session }).await?;
        Ok(Reply {
            panel_id: panel.panel_id,
            snapshot,
            state: State::new(info.activity, Some(info.keyboard)),
        })
    }
}

/// Waits until no program is working and the screen is still, or until the timeout.
async fn settle(call: &Call, session: &str, timeout_ms: u64) -> Result<(), ApiError> {
    let deadline = Instant::now() + Duration::from_millis(timeout_ms);
    let waited = async |wait: op::Wait| {
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        let timeout_ms = Some(u64::try_from(left).unwrap_or(u64::MAX));
        let params = wait::Params { session: session.to_owned(), wait: op::Wait { timeout_ms, ..wait } };
        perform(call.context.clone(), params).await
    };
    let info = perform(call.context.clone(), info::Params { session: session.to_owned() }).await?;
    // A program that works silently has a still screen, too.
    if State::new(info.activity, None).is_at_work() {
        waited(op::Wait { prompt: true, reads: true, secret: true, ..op::Wait::default() }).await?;
    }
    waited(op::Wait { idle_ms: Some(STILL_MS), ..op::Wait::default() }).await?;
    Ok(())
}

fn chosen(mut panels: Vec<Panel>, id: Option<String>) -> Result<Panel, ApiError> {
    let found = match &id {
        Some(id) => panels.iter().position(|panel| panel.panel_id == *id),
        None if panels.len() > 1 => return Err(which(&panels)),
        None => (!panels.is_empty()).then_some(0),
    };
    match (found, id) {
        (Some(found), _) => Ok(panels.swap_remove(found)),
        (None, id) => Err(ApiError::NoPanel { panel: id, known: names(&panels) }),
    }
}
