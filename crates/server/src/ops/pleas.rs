//! `pleas`: what agents ask of people.

use cotty_protocol::ApiError;
use cotty_protocol::op::pleas::{Params, Plea, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "List what agents ask of people";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/pleas");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let all = context.hub.list().await.into_iter();
        let own = all.filter(|info| context.actor.may_have(&info.meta.id, &info.meta.actor.owner));
        let mut pleas: Vec<Plea> = own.filter_map(|info| convert::info(info).plea).collect();
        pleas.sort_by_key(|plea| std::cmp::Reverse(plea.open_ms));
        Ok(Reply { count: pleas.len(), pleas })
    }
}
