//! `list`: all sessions.

use cotty_protocol::Fault;
use cotty_protocol::op::list::{Params, Reply};

use super::{Access, Context, Operation, convert};

/// See the module.
#[derive(Debug)]
pub struct List;

impl Operation for List {
    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "List the sessions";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, _params: Params) -> Result<Reply, Fault> {
        let sessions: Vec<_> = context.hub.list().await.into_iter().map(convert::info).collect();
        Ok(Reply { count: sessions.len(), sessions })
    }
}
