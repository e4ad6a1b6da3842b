use cotty_protocol::ApiError;
use cotty_protocol::op::{create, info};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Usual;
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Defaults of this set's sessions, if neither the configuration nor the client sets them.
const USUAL: Usual = Usual { history_lines: Some(1000), max_per_owner: Some(15) };

pub(super) struct Launch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Command line, e.g. "gdb ./myprogram". Plain words and quotes run directly; pipes, variables and other shell syntax go through sh -c. Default: your shell.
    command: Option<String>,
    /// Directory to start in. Default: yours.
    working_dir: Option<String>,
    /// Columns. Default: 80.
    cols: Option<u16>,
    /// Rows. Default: 24.
    rows: Option<u16>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// For the other tools.
    session_id: u32,
    command: String,
    working_dir: String,
    /// [columns, rows].
    size: [u16; 2],
    #[serde(flatten)]
    state: State,
}

impl McpTool for Launch {
    const NAME: &'static str = "pty_launch";
    const TITLE: &'static str = "Launch a terminal";
    const DESCRIPTION: &'static str = "Start your shell or a command line in a new terminal. Waits for a shell's prompt. Returns the session_id for the other tools.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(mut call: Call, params: Params) -> Result<Reply, ApiError> {
        call.context.usual = USUAL;
        let create = create::Params {
            // An empty command means none: some clients fill in parameters that they omit.
            command: params.command.filter(|command| !command.trim().is_empty()),
            cwd: params.working_dir,
            cols: params.cols,
            rows: params.rows,
            ..create::Params::default()
        };
        let made = perform(call.context.clone(), create).await?;
        let info = perform(call.context.clone(), info::Params { session: made.session_id }).await?;
        Ok(Reply {
            session_id: info.number,
            state: State::new(info.activity, Some(info.keyboard)),
            command: info.command,
            working_dir: info.cwd.unwrap_or_default(),
            size: [info.dimensions.cols, info.dimensions.rows],
        })
    }
}
