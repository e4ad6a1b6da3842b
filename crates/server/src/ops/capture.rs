//! `capture`: writes a session's output to a file.

use std::path::Path;

use cotty_protocol::ApiError;
use cotty_protocol::op::capture::{Action, Params, Reply};

use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Start or stop writing all output of a session to a file";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/capture");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let capture = match params.action {
            Action::Start => {
                // A relative directory is relative to the caller's.
                let base = context.origin.cwd.as_deref().unwrap_or("/");
                let dir = params.dir.map(|dir| Path::new(base).join(dir));
                context.hub.start_capture(&params.session, dir, &context.actor, &context.retry_id).await
            }
            Action::Stop => {
                let session = context.session(&params.session, Self::ACCESS).await?;
                session.stop_capture(&context.retry_id).await
            }
        };
        let capture = capture?;
        Ok(Reply {
            capture_file: capture.file.to_string_lossy().into_owned(),
            bytes_captured: capture.bytes,
            bytes_lost: capture.lost,
            duration_seconds: std::time::Duration::from_millis(capture.duration_ms).as_secs_f64(),
        })
    }
}
