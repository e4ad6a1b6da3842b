//! `panel_open`: opens a panel with the caller's shell.

use cotty_protocol::ApiError;
use cotty_protocol::op::{
    self,
    panel_open::{Params, Reply},
};
use cotty_session as session;

use super::create::refused;
use super::{Access, Context, Perform, Route};

/// The default panel id.
const UNNAMED: &str = "terminal";
/// Longest wait for the prompt; a slower shell is not an error.
const READY_TIMEOUT_MS: u64 = 5_000;

impl Perform for Params {
    const SUMMARY: &'static str = "Open a panel with your shell, or find the one of that name";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::make("/v1/panels");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let theirs = context.daemon.config.for_client(&context.origin.env, context.usual).map_err(refused)?;
        let panel_id = params.panel_id.unwrap_or_else(|| UNNAMED.to_owned());
        let panel = session::Panel::of_owner(&context.actor.owner, &panel_id)?;
        let create = session::Create {
            panel: Some(panel),
            terminal: Some(theirs.terminal),
            max_per_owner: Some(theirs.max_per_owner),
            ..session::Create::default()
        };
        let made = context.hub.create(create, context.actor, &context.origin, &context.retry_id).await;
        let made = made?;
        // A retry of the call that opened it counts, too.
        let opened = made.meta().retry_id == context.retry_id;
        if opened && made.is_interactive_shell() {
            let timeout_ms = Some(READY_TIMEOUT_MS);
            let wait = op::Wait { prompt: true, timeout_ms, ..op::Wait::default() };
            made.wait(wait).await?;
        }
        Ok(Reply { panel_id, session_id: made.meta().id.clone(), opened })
    }
}
