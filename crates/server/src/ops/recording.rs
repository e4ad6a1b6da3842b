//! `recording`: reads a session's recording, page by page.

use cotty_protocol::ApiError;
use cotty_protocol::op::recording::{Format, Params, Reply};
use cotty_session::RecordingFormat;

use super::{Access, Context, Perform, Route};

/// Bytes of a page: default and maximum.
const PAGE: usize = 256 * 1024;
const LARGEST: usize = 4 << 20;

impl Perform for Params {
    const SUMMARY: &'static str = "Read the recording of a session, even if the session is gone";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/recording");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let format = match params.format {
            Format::Cast => RecordingFormat::Cast,
            Format::Text => RecordingFormat::Text,
            Format::Jsonl => RecordingFormat::JsonLines,
        };
        let limit = params.limit.unwrap_or(PAGE).clamp(1, LARGEST);
        let read = context.hub.recording(&params.session, format, params.next, limit, &context.actor).await;
        let (session_id, page) = read?;
        Ok(Reply { session_id, content: page.content, next: page.next, end: page.end })
    }
}
