use cotty_protocol::Fault;
use cotty_protocol::op::send::{self, Paste};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read;
use crate::face::mcp::tool::{Call, McpTool};
use crate::ops::{Access, SendInput, perform};

pub(super) struct Send;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    /// Text to type; \n is the Enter key. Give text or key.
    text: Option<String>,
    /// Key to press: up down left right home end pageup pagedown backspace delete insert tab enter escape f1…f12, or one character. Also "ctrl+c", "^C", "<Esc>".
    key: Option<String>,
    /// With Control, e.g. key "c".
    #[serde(default)]
    ctrl: bool,
    /// With Alt.
    #[serde(default)]
    alt: bool,
    /// With Shift.
    #[serde(default)]
    shift: bool,
    /// Paste brackets around text: true, false or "auto" (default: for several lines, where the program asked for it).
    bracketed_paste: Option<BracketedPaste>,
    /// Read afterwards, in the same call: the parameters of terminal__read without session_id.
    read: Option<read::How>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum BracketedPaste {
    Set(bool),
    Auto(Auto),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Auto {
    Auto,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    sent: bool,
    /// Whether the program took it, within 100 ms.
    consumed: Option<bool>,
    /// Whether the screen changed beyond the echo, within 100 ms.
    reacted: Option<bool>,
    /// Present if read was given.
    read_result: Option<read::Reply>,
    /// Output before this was there before you typed.
    since: u64,
}

impl McpTool for Send {
    const NAME: &'static str = "terminal__send";
    const TITLE: &'static str = "Type into a terminal";
    const DESCRIPTION: &'static str =
        "Type text or press a key in whatever runs in the session, and read what happened in the same call.";
    const ACCESS: Access = Access::Write;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, Fault> {
        let paste = match params.bracketed_paste {
            Some(BracketedPaste::Set(true)) => Paste::Always,
            Some(BracketedPaste::Set(false)) => Paste::Never,
            Some(BracketedPaste::Auto(Auto::Auto)) | None => Paste::Auto,
        };
        let send = send::Params {
            session: params.session_id.clone(),
            text: params.text,
            key: params.key,
            ctrl: params.ctrl,
            alt: params.alt,
            shift: params.shift,
            paste,
            ..send::Params::default()
        };
        let sent = perform::<SendInput>(call.context.clone(), send).await?;
        let read_result = match params.read {
            Some(how) => Some(how.read(call, params.session_id, Some(sent.seq)).await?),
            None => None,
        };
        Ok(Reply { sent: true, consumed: sent.consumed, reacted: sent.reacted, read_result, since: sent.seq })
    }
}
