use cotty_protocol::Fault;
use cotty_protocol::op::Activity;
use cotty_protocol::op::run::{self, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{self, Access};

pub(super) struct Run;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// A session whose shell waits for a command.
    session_id: String,
    /// The command, one line or several.
    command: String,
    /// Answer "running" after this many ms. Default: 30000, at most 50000.
    timeout_ms: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// "done", "running" (it goes on; the output is what it said so far) or "exited" (the shell itself ended).
    outcome: Outcome,
    /// The command's own output.
    output: String,
    exit_code: Option<i32>,
    duration_ms: u64,
    cwd: Option<String>,
    activity: Activity,
    /// Lines of output that were too many to keep.
    #[serde(skip_serializing_if = "is_zero")]
    dropped_lines: u64,
    next_since: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl McpTool for Run {
    const NAME: &'static str = "terminal__run";
    const TITLE: &'static str = "Run a command";
    const DESCRIPTION: &'static str = "Run one command in the session's shell and get its own output, exit code, duration and directory. Refused where the shell is not waiting for a command.";
    const ACCESS: Access = Access::Write;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, Fault> {
        let timeout_ms = call.within(params.timeout_ms);
        let run = run::Params { session: params.session_id, command: params.command, timeout_ms };
        let ran = ops::perform::<ops::Run>(call.context, run).await?;
        Ok(Reply {
            outcome: ran.outcome,
            output: ran.output,
            exit_code: ran.exit_code,
            duration_ms: ran.duration_ms,
            cwd: ran.cwd,
            activity: ran.activity,
            dropped_lines: ran.dropped_lines,
            next_since: ran.seq,
        })
    }
}
