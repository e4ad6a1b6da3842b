//! `search_recordings`: searches recordings, also of sessions that are gone.

use cotty_protocol::ApiError;
use cotty_protocol::op::search_recordings::{Match, Params, Reply};

use super::search::compiled;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Search recordings, also of sessions that are gone";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/recordings/search");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let (pattern, limit) = compiled(params.pattern)?;
        let session = params.session.as_deref();
        let searched = context.hub.search_recordings(session, pattern, limit, &context.actor).await;
        let searched = searched?;
        let matches = searched.matches.into_iter();
        Ok(Reply {
            matches: matches
                .map(|m| Match { session_id: m.session_id, text: m.text, line: m.line })
                .collect(),
            more: searched.more,
            gave_up: searched.gave_up,
            recordings: searched.recordings,
        })
    }
}
