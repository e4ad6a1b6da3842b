//! `answer`: a person completes or declines a hand-off request.

use cotty_protocol::ApiError;
use cotty_protocol::op::answer::{Params, Reply};
use cotty_session::Info;

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Complete or decline a hand-off request of an agent";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::post("/v1/requests/{request_id}/answer");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let Params { request_id, decline, note } = params;
        let session = match &context.viewer {
            Some(viewer) => viewer.session.clone(),
            None => {
                let asked = |info: &Info| info.handoff.as_ref().is_some_and(|newest| newest.id == request_id);
                let found = context.hub.list().await.into_iter().find(asked);
                let info = found.ok_or_else(|| ApiError::RequestNotFound { id: request_id.clone() })?;
                context.hub.show_to(&info.meta.id, &context.actor)?
            }
        };
        let info = session.info().await?;
        let answered = session.answer(&request_id, decline, note, &context.typist(), &context.retry_id).await;
        Ok(convert::request(&answered?, &info.meta, &info.keyboard))
    }
}
