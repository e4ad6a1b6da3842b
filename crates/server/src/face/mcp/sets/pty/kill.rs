use cotty_protocol::op::{destroy, signal};
use cotty_protocol::{ApiError, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Kill;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// "SIGTERM" (default) and "SIGHUP" ask all processes of the session to end, and kill those that do not; "SIGKILL" kills at once. "SIGINT" only interrupts the foreground program; the session stays.
    #[serde(default)]
    signal: How,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
enum How {
    #[default]
    #[serde(rename = "SIGTERM")]
    Term,
    #[serde(rename = "SIGKILL")]
    Kill,
    #[serde(rename = "SIGINT")]
    Int,
    #[serde(rename = "SIGHUP")]
    Hup,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    signal: How,
    /// Whether the session is gone.
    killed: bool,
    /// The program's exit code; null if a signal ended it or it still runs.
    exit_code: Option<i32>,
}

impl McpTool for Kill {
    const NAME: &'static str = "pty_kill";
    const TITLE: &'static str = "End a terminal";
    const DESCRIPTION: &'static str =
        "End a session and everything it started, or with SIGINT only interrupt its program.";
    const ACCESS: Access = Access::Destroy;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let how = params.signal;
        let (session_id, session) = match find_session(&call, &params.session_id).await {
            Ok(info) => (info.number, info.session_id),
            // A retry of the call that ended the session, after the daemon was replaced, gets the same answer.
            Err(error) if error.code() == Code::SessionDestroyed => {
                let reference = params.session_id.to_string();
                (reference.parse().unwrap_or_default(), reference)
            }
            Err(error) => return Err(error),
        };
        if matches!(how, How::Int) {
            perform(call.context.clone(), signal::Params { session, signal: Some("INT".to_owned()) }).await?;
            return Ok(Reply { session_id, signal: how, killed: false, exit_code: None });
        }
        let force = matches!(how, How::Kill);
        let ended = perform(call.context.clone(), destroy::Params { session, force }).await?;
        Ok(Reply { session_id, signal: how, killed: true, exit_code: ended.exit_code })
    }
}
