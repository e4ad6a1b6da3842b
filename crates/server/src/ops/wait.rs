//! `wait`: waits until a condition holds in a session.

use cotty_protocol::ApiError;
use cotty_protocol::op::Met;
use cotty_protocol::op::wait::{LastCommand, Params, Reply};

use super::convert;
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str =
        "Wait until text appears, output pauses, the prompt is back or the program ends";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/wait");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        if !params.wait.has_condition() && params.wait.timeout_ms.is_none() {
            return Err(ApiError::invalid_instead(
                "nothing to wait for",
                "give text, regex, idle_ms, prompt, secret, reads, keyboard, exit, stop or timeout_ms",
            ));
        }
        let wants_prompt = params.wait.prompt;
        let waited = session.wait(params.wait).await?;
        let elapsed_ms = u64::try_from(waited.elapsed.as_millis()).unwrap_or(u64::MAX);
        let met_by_prompt = matches!(waited.met, Met::Prompt | Met::All) && wants_prompt;
        let command = waited.command.filter(|_| met_by_prompt);
        Ok(Reply {
            command: command
                .map(|ran| LastCommand { exit_code: ran.exit_code, duration_ms: ran.duration_ms }),
            met: waited.met,
            elapsed_ms,
            activity: waited.info.activity,
            keyboard: convert::keyboard_news(waited.info.keyboard),
            exited: waited.info.ended.is_some(),
            exit_code: waited.info.ended.and_then(|e| e.exit_code),
            signal: waited.info.ended.and_then(|e| e.signal),
            seq: waited.info.seq,
            screen: waited.screen,
            matched: waited.matched,
            why: waited.why,
        })
    }
}
