use cotty_protocol::ApiError;
use cotty_protocol::error::{Advice, Clause, Step};
use cotty_protocol::op::run::{self, Outcome, Ran};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::MAX_BYTES;
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

const NOT_REPORTED: &str = "the prompt is back, but the shell did not report how the command ended";

fn incomplete() -> Advice {
    let situation = "the command is not complete, and the shell waits for the rest".to_owned();
    Advice(vec![Clause { situation: Some(situation), steps: vec![Step::FinishLine, Step::DropLine] }])
}

/// Where the lines are that a session has dropped.
fn where_dropped(session: &str, ran: &run::Reply) -> Option<String> {
    let dropped = ran.ran.dropped_lines;
    (dropped > 0).then(|| match ran.dropped_recorded {
        true => format!(
            "the first {dropped} lines of the output are only in the session's recording: resource terminal://{session}/recording"
        ),
        false => format!("the first {dropped} lines of the output are lost: write long output to a file"),
    })
}

pub(super) struct Run;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// A session whose shell is at its prompt.
    session_id: String,
    /// The command, one line or several.
    command: String,
    /// Return "running" after this many ms, or when it needs input. Default: 30000, at most 50000.
    timeout_ms: Option<u64>,
    /// Most bytes; longer output is cut to head and tail, and left_out says how to read the rest. Default: 16384. 0: all.
    max_bytes: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    #[serde(flatten)]
    ran: Ran,
    #[serde(flatten)]
    state: State,
    /// What to do next; what is unknown about the command's end; where dropped lines are.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    next_since: u64,
}

impl McpTool for Run {
    const NAME: &'static str = "terminal__run";
    const TITLE: &'static str = "Run a command";
    const DESCRIPTION: &'static str = "Run one command in the session's shell and get its own output, exit code, duration and directory. Refused unless the shell is at its prompt.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let timeout_ms = call.waiting(params.timeout_ms);
        let max_bytes = Some(params.max_bytes.unwrap_or(MAX_BYTES));
        let session = params.session_id.clone();
        let run = run::Params { session: params.session_id, command: params.command, timeout_ms, max_bytes };
        let ran = perform(call.context.clone(), run).await?;
        let dropped = where_dropped(&session, &ran);
        let state = State::new(ran.activity, ran.keyboard);
        let note = match ran.ran.outcome {
            Outcome::Running if ran.incomplete => call.advisor.in_words(&incomplete()),
            Outcome::Running => call.advisor.in_words(&state.advice()),
            Outcome::Done if ran.ran.exit_code.is_none() => Some(NOT_REPORTED.to_owned()),
            Outcome::Done | Outcome::Exited => None,
        };
        let lost = ran.history_lost.map(|lost| lost.to_string());
        let notes: Vec<String> = lost.into_iter().chain(note).chain(dropped).collect();
        Ok(Reply {
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            ran: ran.ran,
            state,
            next_since: ran.seq,
        })
    }
}
