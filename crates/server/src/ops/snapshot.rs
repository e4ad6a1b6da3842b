//! `snapshot`: the screen for a front end that draws lines.

use cotty_protocol::ApiError;
use cotty_protocol::op::snapshot::{Params, Reply};

use super::{Access, Context, Operation, Route};

/// See the module.
#[derive(Debug)]
pub struct Snapshot;

impl Operation for Snapshot {
    const NAME: &'static str = "snapshot";
    const SUMMARY: &'static str = "Tell what a session shows, as lines with their styles and the cursor";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/snapshot");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let shown = session.snapshot().await?;
        Ok(crate::updates::snapshot(&shown, &session.meta().id))
    }
}
