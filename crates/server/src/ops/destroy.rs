//! `destroy`: ends a session and everything it started.

use cotty_protocol::ApiError;
use cotty_protocol::op::destroy::{Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "End a session and everything it started";
    const ACCESS: Access = Access::Destroy;
    const ROUTE: Route = Route::delete("/v1/sessions/{session}");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let (actor, retry_id) = (&context.actor, &context.retry_id);
        let ended = context.hub.destroy_for(&params.session, params.force, actor, retry_id).await;
        let ended = ended.map_err(|error| context.with_nearest_name(error))?;
        Ok(Reply { destroyed: true, exit_code: ended.exit_code, left_running: ended.left_running })
    }
}
