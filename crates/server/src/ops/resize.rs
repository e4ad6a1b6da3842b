//! `resize`: another size, or following the window of whoever has the keyboard.

use cotty_protocol::op::resize::{Params, Reply};
use cotty_protocol::{Code, Fault};

use super::convert::{dimensions, fault};
use super::{Access, Context, Operation, Route};

/// See the module.
#[derive(Debug)]
pub struct Resize;

impl Operation for Resize {
    const NAME: &'static str = "resize";
    const SUMMARY: &'static str = "Give a session another size";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/resize");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, Fault> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let (cols, rows) = session.info().await.map_err(fault)?.size;
        let size = (params.cols.unwrap_or(cols), params.rows.unwrap_or(rows));
        let given = params.cols.is_some() || params.rows.is_some();
        match (params.fit, given) {
            (true, _) => session.fit(given.then_some(size), &context.typist()).await.map_err(fault)?,
            (false, true) => session.resize(size).await.map_err(fault)?,
            (false, false) => {
                return Err(
                    Fault::new(Code::InvalidInput, "no size is given").with_hint("give cols, rows or both")
                );
            }
        }
        Ok(Reply { dimensions: dimensions(session.info().await.map_err(fault)?.size) })
    }
}
