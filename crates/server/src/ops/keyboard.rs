//! `keyboard`: a person takes it or gives it back; everyone may ask who has it.

use cotty_protocol::ApiError;
use cotty_protocol::op::keyboard::{Action, Params, Reply};
use cotty_session::Hold;

use super::convert::keyboard_state;
use super::{Access, Context, Perform, Route};

/// How long after the last key the keyboard returns. A viewer keeps it until it gives it back.
const LEASE_MS: u64 = 600_000;
/// The longest lease.
const LONGEST_LEASE_MS: u64 = 24 * 3_600_000;

impl Perform for Params {
    const SUMMARY: &'static str = "Take the keyboard of a session, give it back, or ask who has it";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/keyboard");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let hold = match params.action {
            Action::Show => return Ok(keyboard_state(session.info().await?.keyboard)),
            // A viewer keeps the keyboard while it is connected.
            Action::Take if context.viewer.is_some() => Hold::Take(params.lease_ms),
            Action::Take => Hold::Take(Some(params.lease_ms.unwrap_or(LEASE_MS).min(LONGEST_LEASE_MS))),
            Action::Give => Hold::Give,
            Action::Leave => Hold::Leave,
        };
        Ok(keyboard_state(session.hold(hold, &context.typist()).await?))
    }
}
