use cotty_protocol::ApiError;
use cotty_protocol::op::wait::{self, LastCommand};
use cotty_protocol::op::{self, Met};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::state::State;
use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Wait;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    /// Until this text appears.
    text: Option<String>,
    /// Until this regular expression matches.
    regex: Option<String>,
    /// Until no output came for this many ms.
    idle_ms: Option<u64>,
    /// Until the shell waits for a command.
    #[serde(default)]
    prompt: bool,
    /// Until the program ends.
    #[serde(default)]
    exit: bool,
    /// Until the program asks for a secret.
    #[serde(default)]
    secret: bool,
    /// Until the program took your input and reads again (REPLs, questions).
    #[serde(default)]
    reads: bool,
    /// Until no person has the keyboard.
    #[serde(default)]
    keyboard: bool,
    /// A match of this regular expression ends the wait whatever else you wait for, e.g. "error|failed".
    stop: Option<String>,
    /// Count only output after this (next_since or since of another answer). Default: since your last input.
    since: Option<u64>,
    /// Longest wait in ms. Default: 30000, at most 50000.
    timeout_ms: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// Which condition held.
    met: Met,
    elapsed_ms: u64,
    #[serde(flatten)]
    state: State,
    exited: bool,
    exit_code: Option<i32>,
    screen: String,
    /// The line that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<String>,
    /// Met by prompt: how the last command ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<LastCommand>,
    next_since: u64,
}

impl McpTool for Wait {
    const NAME: &'static str = "terminal__wait";
    const TITLE: &'static str = "Wait for a terminal";
    const DESCRIPTION: &'static str = "Wait until the first of the given conditions holds; the program's end ends every wait. The echo of what you typed never counts.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let mut wait = op::Wait {
            text: params.text,
            regex: params.regex,
            idle_ms: params.idle_ms,
            prompt: params.prompt,
            exit: params.exit,
            secret: params.secret,
            reads: params.reads,
            keyboard: params.keyboard,
            stop: params.stop,
            since: params.since,
            ..op::Wait::default()
        };
        wait.timeout_ms = match wait.has_condition() {
            true => call.waiting(params.timeout_ms),
            false => call.within(params.timeout_ms),
        };
        let asked = wait::Params { session: params.session_id, wait };
        let waited = perform(call.context.clone(), asked).await?;
        let elapsed_ms = call.lasted_ms(waited.elapsed_ms);
        let state = State::new(waited.activity, waited.keyboard);
        if waited.met == Met::Timeout {
            return Err(ApiError::WaitTimeout {
                elapsed_ms,
                why: waited.why.unwrap_or_default(),
                nested: state.is_nested(),
                held_by: state.held_by().map(str::to_owned),
                activity: state.activity().clone(),
                seq: waited.seq,
            });
        }
        Ok(Reply {
            met: waited.met,
            elapsed_ms,
            state,
            exited: waited.exited,
            exit_code: waited.exit_code,
            screen: waited.screen,
            matched: waited.matched,
            command: waited.command,
            next_since: waited.seq,
        })
    }
}
