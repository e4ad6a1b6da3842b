//! `create`: starts a program in a new terminal.

use cotty_protocol::ApiError;
use cotty_protocol::op::{
    self,
    create::{Allow, Params, Reply},
};
use cotty_session as session;

use super::convert::dimensions;
use super::{Access, Context, Perform, Route};
use crate::config::Refused;

const READY_TIMEOUT_MS: u64 = 5_000;

impl Perform for Params {
    const SUMMARY: &'static str = "Start a program (your shell by default) in a new terminal";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::make("/v1/sessions");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        // The client's environment may set options of its own terminals.
        let theirs = context.daemon.config.for_client(&context.origin.env, context.usual).map_err(refused)?;
        let create = session::Create {
            program: params.program,
            args: params.args,
            command: params.command,
            name: params.name,
            panel: None,
            cols: params.cols,
            rows: params.rows,
            env: params.env,
            cwd: params.cwd,
            prompt_pattern: params.prompt_pattern,
            allow: session::Allow {
                title: params.allow.contains(&Allow::Title),
                clipboard: params.allow.contains(&Allow::Clipboard),
                checksum: params.allow.contains(&Allow::Checksum),
                resize: params.allow.contains(&Allow::Resize),
            },
            record: params.record,
            terminal: Some(theirs.terminal),
            max_per_owner: Some(theirs.max_per_owner),
        };
        let made = context.hub.create(create, context.actor, &context.origin, &context.retry_id).await;
        let made = made?;
        let wait_ready = params.wait_ready.unwrap_or_else(|| made.is_interactive_shell());
        let timeout_ms = Some(params.ready_timeout_ms.unwrap_or(READY_TIMEOUT_MS));
        // A shell that is slow to start is not an error.
        let (info, ready) = if wait_ready {
            let wait = op::Wait { prompt: true, timeout_ms, ..op::Wait::default() };
            let waited = made.wait(wait).await?;
            (waited.info, waited.met == op::Met::Prompt)
        } else {
            (made.info().await?, false)
        };
        Ok(Reply {
            session_id: info.meta.id,
            number: info.meta.number,
            pid: info.pid,
            program: info.meta.program,
            dimensions: dimensions(info.size),
            ready,
            activity: info.activity,
            seq: info.seq,
        })
    }
}

pub(super) fn refused(refused: Refused) -> ApiError {
    ApiError::BadVariable { problem: refused.problem.to_string(), is_pattern: refused.is_pattern }
}
