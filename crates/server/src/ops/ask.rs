//! `ask`: an agent asks a person to take over a session, and waits for the outcome.

use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::ask::{Params, Reply};
use cotty_session::Ask as What;

use super::convert;
use super::{Access, Context, Perform, Route};

/// Default timeout of a request.
const TIMEOUT_MS: u64 = 300_000;
/// Longest timeout, and longest wait.
const LONGEST_MS: u64 = 24 * 3_600_000;

impl Perform for Params {
    const SUMMARY: &'static str = "Ask a person to take over a session, and wait for the outcome";
    const ACCESS: Access = Access::Ask;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/ask");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let what = match (params.message, params.request_id) {
            // A call that continues a request may repeat its message.
            (_, Some(request_id)) => What::Again(request_id),
            (Some(message), None) => {
                let timeout_ms = params.timeout_ms.unwrap_or(TIMEOUT_MS);
                if timeout_ms == 0 || timeout_ms > LONGEST_MS {
                    return Err(ApiError::invalid("timeout_ms must be from 1 to 86400000 (one day)"));
                }
                What::New { message, timeout_ms }
            }
            (None, None) => {
                return Err(ApiError::invalid_instead(
                    "there is no message",
                    "say what the person should do",
                ));
            }
        };
        // Every request ends, and its end ends the wait.
        let wait = Duration::from_millis(params.wait_ms.unwrap_or(LONGEST_MS).min(LONGEST_MS));
        let asked = session.ask_people(what, wait, &context.typist(), &context.retry_id).await;
        let asked = asked?;
        let info = convert::info(asked.info.clone());
        Ok(Reply {
            request: convert::request(&asked.request, &asked.info.meta, &asked.info.keyboard),
            screen: asked.screen,
            activity: info.activity,
            keyboard: info.keyboard,
            seq: info.seq,
        })
    }
}
