//! `panels`: lists the caller's panels.

use cotty_protocol::ApiError;
use cotty_protocol::op::panels::{Panel, Params, Reply};
use cotty_session as session;

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "List your panels";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/panels");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let scope = session::Panel::scope_of_owner(&context.actor.owner);
        let panel = |open: session::OpenPanel| Panel {
            panel_id: open.id,
            session_id: open.session.meta().id.clone(),
            exited: open.exited,
        };
        Ok(Reply { panels: context.hub.panels(&scope).into_iter().map(panel).collect() })
    }
}
