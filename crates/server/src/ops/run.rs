//! `run`: runs one command in a shell and returns its output and exit code.

use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::run::{Params, Reply};
use cotty_session::{Cut, DEFAULT_WAIT};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Run one command in a shell and return its output and exit code";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/run");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let timeout = params.timeout_ms.map_or(DEFAULT_WAIT, Duration::from_millis);
        let result = session
            .run(&params.command, timeout, &context.typist(), &context.actor.owner, &context.retry_id)
            .await?;
        let most = params.max_bytes.filter(|&most| most > 0).unwrap_or(usize::MAX);
        let (info, mut ran) = (result.info, result.ran);
        let cut = Cut::head_and_tail(ran.output, most);
        ran.output = cut.text;
        ran.left_out = cut.left_out.map(|cut| convert::left_out(cut, Some(result.since)));
        Ok(Reply {
            dropped_recorded: ran.dropped_lines > 0 && info.recording.on && info.recording.lost == 0,
            ran,
            incomplete: result.incomplete,
            activity: info.activity,
            keyboard: convert::keyboard_news(info.keyboard),
            history_lost: result.lost.map(convert::history_lost),
            seq: info.seq,
        })
    }
}
