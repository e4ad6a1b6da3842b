//! `info`: one session.

use cotty_protocol::ApiError;
use cotty_protocol::op::info::{Params, Reply};

use super::convert;
use super::{Access, Context, Operation, Route};

/// See the module.
#[derive(Debug)]
pub struct Info;

impl Operation for Info {
    const NAME: &'static str = "info";
    const SUMMARY: &'static str = "Tell what a session is and does, without its content";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        Ok(convert::info(session.info().await?))
    }
}
