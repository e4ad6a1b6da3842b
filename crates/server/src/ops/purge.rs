//! `purge`: deletes recordings.

use cotty_protocol::ApiError;
use cotty_protocol::op::purge::{Params, Reply};
use cotty_session as session;

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Delete the recording of a session, old recordings, or all";
    // Recordings are for the person: an agent must not delete them.
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::post("/v1/recordings/purge");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let which = match (params.session, params.older_than_seconds, params.all) {
            (Some(session), None, false) => session::Purge::Session(session),
            (None, Some(seconds), false) => session::Purge::OlderThan(seconds.saturating_mul(1000)),
            (None, None, true) => session::Purge::All,
            _ => {
                return Err(ApiError::invalid_instead(
                    "it is not clear which recordings to delete",
                    "give exactly one of `session`, `older_than_seconds` and `all`",
                ));
            }
        };
        let one = matches!(which, session::Purge::Session(_));
        let purged = context.hub.purge(which, params.live).await?;
        if one && purged.kept_live > 0 {
            return Err(ApiError::RecordingLive);
        }
        Ok(Reply {
            recordings: purged.recordings,
            segments: purged.segments,
            bytes: purged.bytes,
            kept_live: purged.kept_live,
        })
    }
}
