use cotty_protocol::ApiError;
use cotty_protocol::op::list::{self, Other};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::Session;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct ListSessions;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Also list sessions of others. Default: false.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    sessions: Vec<Session>,
    count: usize,
    /// Sessions of others, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Other>,
}

impl McpTool for ListSessions {
    const NAME: &'static str = "terminal__list_sessions";
    const TITLE: &'static str = "List terminals";
    const DESCRIPTION: &'static str = "Your sessions and what each is doing.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let listed = perform(call.context, list::Params { all: params.all }).await?;
        let sessions: Vec<Session> = listed.sessions.into_iter().map(Session::from).collect();
        Ok(Reply { count: listed.count, sessions, others: listed.others })
    }
}
