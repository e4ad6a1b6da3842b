//! `list`: lists the sessions.

use cotty_protocol::ApiError;
use cotty_protocol::op::list::{Other, Params, Reply};
use cotty_session::{ActorKind, Info};

use super::{Access, Context, Perform, Route, convert};

impl Perform for Params {
    const SUMMARY: &'static str = "List the sessions";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let actor = &context.actor;
        let own = |info: &Info| actor.may_access(&info.meta.id, &info.meta.actor.owner);
        let (own, others): (Vec<Info>, Vec<Info>) = context.hub.list().await.into_iter().partition(own);
        let sessions: Vec<_> = own.into_iter().map(convert::info).collect();
        let other = |info: Info| Other {
            session_id: info.meta.id,
            number: info.meta.number,
            name: info.meta.name,
            owner: info.meta.actor.owner,
        };
        // A child may know only its own session.
        let others = if params.all && actor.kind != ActorKind::Child {
            others.into_iter().map(other).collect()
        } else {
            Vec::new()
        };
        Ok(Reply { count: sessions.len(), sessions, others })
    }
}
