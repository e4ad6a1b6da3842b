use cotty_protocol::ApiError;
use cotty_protocol::op::{SessionInfo, list};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct List;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    sessions: Vec<Listed>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    /// The session_id for the other tools.
    id: u32,
    command: String,
    working_dir: String,
    status: Status,
    /// Of an exited program; missing if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    created_at: String,
    /// [columns, rows].
    size: [u16; 2],
    #[serde(flatten)]
    state: State,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Running,
    /// By a signal; SIGCONT continues it.
    Stopped,
    Exited,
}

impl From<SessionInfo> for Listed {
    fn from(info: SessionInfo) -> Listed {
        Listed {
            id: info.number,
            state: State::new(info.activity, Some(info.keyboard)),
            command: info.command,
            working_dir: info.cwd.unwrap_or_default(),
            status: match (info.exited, info.stopped) {
                (true, _) => Status::Exited,
                (false, true) => Status::Stopped,
                (false, false) => Status::Running,
            },
            exit_code: info.exit_code,
            signal: info.signal,
            created_at: info.created_at,
            size: [info.dimensions.cols, info.dimensions.rows],
        }
    }
}

impl McpTool for List {
    const NAME: &'static str = "pty_list";
    const TITLE: &'static str = "List terminals";
    const DESCRIPTION: &'static str = "Your sessions and what each is doing.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, _params: Params) -> Result<Reply, ApiError> {
        let listed = perform(call.context.clone(), list::Params::default()).await?;
        Ok(Reply { sessions: listed.sessions.into_iter().map(Listed::from).collect() })
    }
}
