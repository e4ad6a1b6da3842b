//! `stop`: ends the daemon and all sessions.

use cotty_protocol::ApiError;
use cotty_protocol::op::stop::{Params, Reply};
use rustix::process::Signal;

use super::{Access, Context, Perform, Route, restart};

impl Perform for Params {
    const SUMMARY: &'static str = "End the daemon and all sessions";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::post("/v1/stop");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let keeper_pid = context.daemon.keeper_pid;
        tokio::spawn(async move {
            tokio::time::sleep(restart::ANSWERED).await;
            context.daemon.signal_keeper(Signal::TERM);
        });
        Ok(Reply { keeper_pid })
    }
}
