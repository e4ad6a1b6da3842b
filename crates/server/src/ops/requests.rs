//! `requests`: lists open hand-off requests.

use cotty_protocol::ApiError;
use cotty_protocol::op::requests::{HandoffRequest, Params, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "List open hand-off requests";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/requests");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let all = context.hub.list().await.into_iter();
        let own = all.filter(|info| context.actor.may_access(&info.meta.id, &info.meta.actor.owner));
        let mut requests: Vec<HandoffRequest> = own.filter_map(|info| convert::info(info).handoff).collect();
        requests.sort_by_key(|request| std::cmp::Reverse(request.open_ms));
        Ok(Reply { count: requests.len(), requests })
    }
}
