//! `send`: types into a session.

use cotty_protocol::Fault;
use cotty_protocol::op::send::{Params, Reply};

use super::convert::{fault, send_input};
use super::{Access, Context, Operation};

/// See the module.
#[derive(Debug)]
pub struct Send;

impl Operation for Send {
    const NAME: &'static str = "send";
    const SUMMARY: &'static str = "Type text or press a key in a session";
    const ACCESS: Access = Access::Write;
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, Fault> {
        let session = context.hub.find(&params.session).map_err(fault)?;
        let input = send_input(&params)?;
        let typed = session.send(input, context.actor.kind, &context.request).await.map_err(fault)?;
        Ok(Reply { bytes: typed.bytes, seq: typed.seq })
    }
}
