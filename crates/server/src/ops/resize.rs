//! `resize`: sets a session's size, or fits it to the window of the keyboard's holder.

use cotty_protocol::ApiError;
use cotty_protocol::op::resize::{Params, Reply};

use super::convert::dimensions;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Resize a session";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/resize");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let (cols, rows) = session.info().await?.size;
        let size = (params.cols.unwrap_or(cols), params.rows.unwrap_or(rows));
        let given = params.cols.is_some() || params.rows.is_some();
        match (params.fit, given) {
            (true, _) => session.fit(given.then_some(size), &context.typist()).await?,
            (false, true) => session.resize(size).await?,
            (false, false) => {
                return Err(ApiError::invalid_instead("no size is given", "give cols, rows or both"));
            }
        }
        Ok(Reply { dimensions: dimensions(session.info().await?.size) })
    }
}
