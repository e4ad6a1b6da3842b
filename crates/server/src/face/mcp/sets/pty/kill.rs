use cotty_protocol::op::{destroy, signal};
use cotty_protocol::{ApiError, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::look;
use super::reference::Reference;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct Kill;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// "SIGTERM" (default) and "SIGHUP" ask all that the session started to end, and kill what does not; "SIGKILL" kills at once. "SIGINT" only interrupts the program in the foreground; the session stays.
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
    /// The program's exit code; null if a signal ended it, or it did not end.
    exit_code: Option<i32>,
}

impl McpTool for Kill {
    const NAME: &'static str = "pty_kill";
    const TITLE: &'static str = "End a terminal";
    const DESCRIPTION: &'static str =
        "End a session together with everything it started, or with SIGINT only interrupt its program.";
    const ACCESS: Access = Access::Destroy;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let how = params.signal;
        let (session_id, session) = match look(&call, &params.session_id).await {
            Ok(info) => (info.number, info.session_id),
            // One that this very call ended already, before the daemon was replaced, is answered the same.
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
