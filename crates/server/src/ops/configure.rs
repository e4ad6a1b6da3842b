//! `configure`: changes the settings of a running session.

use cotty_protocol::ApiError;
use cotty_protocol::op::configure::{Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Change how much history a session keeps";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::patch("/v1/sessions/{session}");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        if let Some(lines) = params.history_lines {
            session.set_history(lines).await?;
        }
        Ok(Reply { history_lines: session.info().await?.history_lines })
    }
}
