//! `withdraw`: an agent no longer asks.

use cotty_protocol::ApiError;
use cotty_protocol::op::withdraw::{Params, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Withdraw what people were asked for";
    const ACCESS: Access = Access::Ask;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/withdraw");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let plea = session.withdraw(&params.plea, &context.typist(), &context.request).await?;
        let info = session.info().await?;
        Ok(convert::plea(&plea, &info.meta, &info.keyboard))
    }
}
