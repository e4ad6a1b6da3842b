//! `snapshot`: the screen for a front end that draws lines.

use cotty_protocol::ApiError;
use cotty_protocol::op::snapshot::{Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Return the screen as styled lines, with the cursor";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/snapshot");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let shown = session.snapshot().await?;
        Ok(crate::updates::snapshot(&shown, &session.meta().id))
    }
}
