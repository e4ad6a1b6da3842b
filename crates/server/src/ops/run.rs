//! `run`: one command in a shell, with its own output and exit code.

use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::run::{Params, Reply};
use cotty_session::{Cut, USUAL_WAIT};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Run one command in a shell and answer with its output and exit code";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/run");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let timeout = params.timeout_ms.map_or(USUAL_WAIT, Duration::from_millis);
        let result = session
            .run(&params.command, timeout, &context.typist(), &context.actor.owner, &context.request)
            .await?;
        let most = params.max_bytes.filter(|&most| most > 0).unwrap_or(usize::MAX);
        let recording = result.info.recording;
        let cut = Cut::head_and_tail(result.output, most);
        Ok(Reply {
            outcome: result.outcome,
            output: cut.text,
            left_out: cut.left_out.map(|cut| convert::left_out(cut, Some(result.since))),
            images: convert::images(result.images),
            exit_code: result.exit_code,
            signal: result.info.ended.and_then(|ended| ended.signal),
            duration_ms: result.duration_ms,
            incomplete: result.incomplete,
            cwd: result.info.cwd,
            activity: result.info.activity,
            keyboard: convert::keyboard_news(result.info.keyboard),
            dropped_lines: result.dropped,
            dropped_recorded: result.dropped > 0 && recording.on && recording.lost == 0,
            history_lost: result.lost.map(convert::history_lost),
            seq: result.info.seq,
        })
    }
}
