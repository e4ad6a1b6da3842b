//! `configure`: what can be changed of a session while it runs.

use cotty_protocol::ApiError;
use cotty_protocol::op::configure::{Params, Reply};

use super::{Access, Context, Operation, Route};

/// See the module.
#[derive(Debug)]
pub struct Configure;

impl Operation for Configure {
    const NAME: &'static str = "configure";
    const SUMMARY: &'static str = "Change how much history a session keeps";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::patch("/v1/sessions/{session}");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        if let Some(lines) = params.history_lines {
            session.set_history(lines).await?;
        }
        Ok(Reply { history_lines: session.info().await?.history_lines })
    }
}
