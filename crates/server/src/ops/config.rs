//! `config`: the daemon's settings, and where each value comes from.

use cotty_protocol::ApiError;
use cotty_protocol::op::config::{Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Show every setting of the daemon and where it comes from";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/config");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let daemon = &context.daemon;
        Ok(Reply {
            keys: daemon.config.keys(),
            problems: daemon.problems.iter().map(ToString::to_string).collect(),
        })
    }
}
