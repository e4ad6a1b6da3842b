use cotty_protocol::Fault;
use cotty_protocol::op::list;

use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{Access, List, perform};

pub(super) struct ListSessions;

impl McpTool for ListSessions {
    const NAME: &'static str = "terminal__list_sessions";
    const TITLE: &'static str = "List terminals";
    const DESCRIPTION: &'static str = "All sessions, with what each is doing.";
    const ACCESS: Access = Access::Read;
    type Params = list::Params;
    type Reply = list::Reply;

    async fn call(call: Call, params: list::Params) -> Result<list::Reply, Fault> {
        perform::<List>(call.context, params).await
    }
}
