//! `status`: the daemon itself.

use cotty_protocol::Fault;
use cotty_protocol::op::status::{Params, Reply};

use super::{Access, Context, Operation};

/// See the module.
#[derive(Debug)]
pub struct Status;

impl Operation for Status {
    const NAME: &'static str = "status";
    const SUMMARY: &'static str = "Tell what runs and where it listens";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, _params: Params) -> Result<Reply, Fault> {
        let (live, exited) = context.hub.count();
        let place = &context.place;
        Ok(Reply {
            pid: std::process::id(),
            keeper_pid: place.keeper_pid,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            http: place.http.clone(),
            link: place.link(),
            socket: place.socket.to_string_lossy().into_owned(),
            live,
            exited,
        })
    }
}
