//! `info`: describes a session.

use cotty_protocol::ApiError;
use cotty_protocol::op::info::{Params, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Describe a session and what it is doing, without its content";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        Ok(convert::info(session.info().await?))
    }
}
