//! `ask`: an agent asks people to take over a session for a moment, and learns how that ended.

use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::ask::{Params, Reply};
use cotty_session::Ask as What;

use super::convert;
use super::{Access, Context, Perform, Route};

/// How long a person has where nothing is said.
const TIMEOUT_MS: u64 = 300_000;
/// At most; nobody waits longer than that, either.
const LONGEST_MS: u64 = 24 * 3_600_000;

impl Perform for Params {
    const SUMMARY: &'static str =
        "Ask people to take over a session for a moment, and wait for how that ends";
    const ACCESS: Access = Access::Ask;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/ask");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let what = match (params.message, params.request_id) {
            // Who goes on may say again what was asked.
            (_, Some(request_id)) => What::Again(request_id),
            (Some(message), None) => {
                let timeout_ms = params.timeout_ms.unwrap_or(TIMEOUT_MS);
                if timeout_ms == 0 || timeout_ms > LONGEST_MS {
                    return Err(ApiError::invalid(
                        "a person is asked for more than no time and at most a day",
                    ));
                }
                What::New { message, timeout_ms }
            }
            (None, None) => {
                return Err(ApiError::invalid_instead("there is no message", "say what a person is to do"));
            }
        };
        // One that has ended is told of, so nobody waits for ever.
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
