//! `token_rotate`: makes a new credential for the page.

use cotty_protocol::ApiError;
use cotty_protocol::op::token_rotate::{Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Make a new credential for the page; open pages are disconnected";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::post("/v1/page/rotate");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let rotated = context.daemon.page.rotate().await;
        rotated.map_err(|error| ApiError::Keeper { error: error.to_string() })?;
        Ok(Reply { link: context.daemon.link() })
    }
}
