//! `withdraw`: an agent withdraws a hand-off request.

use cotty_protocol::ApiError;
use cotty_protocol::op::withdraw::{Params, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Withdraw a hand-off request";
    const ACCESS: Access = Access::Ask;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/withdraw");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let request = session.withdraw(&params.request_id, &context.typist(), &context.retry_id).await?;
        let info = session.info().await?;
        Ok(convert::request(&request, &info.meta, &info.keyboard))
    }
}
