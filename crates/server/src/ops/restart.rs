//! `restart`: replaces the daemon.

use std::path::Path;
use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_protocol::op::restart::{Params, Reply};
use rustix::process::Signal;

use super::{Access, Context, Perform, Route};

/// How long the answer may take to reach the caller before this daemon ends.
pub(super) const ANSWERED: Duration = Duration::from_millis(50);

impl Perform for Params {
    const SUMMARY: &'static str = "Replace the daemon and keep every session";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::post("/v1/restart");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let pid = std::process::id();
        let mut uses_program = false;
        if params.pid.is_none_or(|asked| asked == pid) {
            if let Some(program) = &params.program {
                uses_program = hand_over(Path::new(program), &context).await?;
            }
            tokio::spawn(async move {
                tokio::time::sleep(ANSWERED).await;
                context.daemon.signal_keeper(Signal::USR1);
            });
        }
        Ok(Reply { pid, uses_program })
    }
}

/// Gives the program to the keeper, which holds it open.
async fn hand_over(program: &Path, context: &Context) -> Result<bool, ApiError> {
    let refused = |error: String| {
        let message = format!("{} cannot be the next daemon: {error}", program.display());
        ApiError::invalid_instead(message, "give the absolute path of a cotty program")
    };
    if !program.is_absolute() {
        return Err(refused("the path is not absolute".into()));
    }
    let held = cotty_pty::open_program(program).map_err(|error| refused(error.to_string()))?;
    context.daemon.keeper.program(held).await.map_err(|error| refused(error.to_string()))
}
