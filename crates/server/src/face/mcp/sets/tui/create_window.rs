use cotty_protocol::ApiError;
use cotty_protocol::op::create;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// The kinds of windows.
const TYPES: &[&str] = &["terminal"];

pub(super) struct CreateWindow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// What kind of window: "terminal" (default).
    window_type: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    success: bool,
    /// For the other tools.
    window_id: String,
    rows: u16,
    cols: u16,
}

impl McpTool for CreateWindow {
    const NAME: &'static str = "tui_create_window";
    const TITLE: &'static str = "Open a window";
    const DESCRIPTION: &'static str = "Open a terminal window with your shell, in front of the others.";
    const ACCESS: Access = Access::Write;
    const OPEN_WORLD: bool = false;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let window_type = params.window_type.unwrap_or_else(|| TYPES[0].to_owned());
        if !TYPES.contains(&window_type.as_str()) {
            return Err(ApiError::unknown("window type", &window_type, TYPES.iter().copied()));
        }
        let made = perform(call.context.clone(), create::Params::default()).await?;
        let (rows, cols) = (made.dimensions.rows, made.dimensions.cols);
        Ok(Reply { success: true, window_id: window(made.number), rows, cols })
    }
}
