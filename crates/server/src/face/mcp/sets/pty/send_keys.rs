use cotty_protocol::ApiError;
use cotty_protocol::op::info;
use cotty_protocol::op::send::{self, Paste};
use cotty_session::InputLease;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

pub(super) struct SendKeys;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// What to type; a newline is the Enter key, a tab the Tab key. Or a list, typed in order.
    keys: Keys,
    /// Read these as keys: ^A … ^Z, ^[ (Escape), [UP] [DOWN] [LEFT] [RIGHT] [HOME] [END] [PGUP] [PGDN] [F1] … [F12]; \^ and \[ are the characters. Default: false, all is text.
    #[serde(default)]
    special: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "keys must be a string or an array of strings")]
enum Keys {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    sent: bool,
    /// Whether the program read it within 80 ms.
    consumed: Option<bool>,
    /// Whether the screen changed beyond the echo within 80 ms.
    reacted: Option<bool>,
    #[serde(flatten)]
    state: State,
}

impl McpTool for SendKeys {
    const NAME: &'static str = "pty_send_keys";
    const TITLE: &'static str = "Type into a terminal";
    const DESCRIPTION: &'static str = "Type into a session's program. See the result with pty_get_screen.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(mut call: Call, params: Params) -> Result<Reply, ApiError> {
        let session = find_session(&call, &params.session_id).await?.session_id;
        let keys = match params.keys {
            Keys::One(keys) => vec![keys],
            Keys::Several(keys) => keys,
        };
        let keys: Vec<String> = keys.into_iter().filter(|keys| !keys.is_empty()).collect();
        if keys.is_empty() {
            return Err(ApiError::NoInput { problem: "`keys` is empty".to_owned() });
        }
        let (mut consumed, mut reacted) = (None, None);
        let count = keys.len();
        // One lease for all of them: no other call types in between.
        call.context.lease = Some(InputLease::new(format!("send of {count} keys")));
        for (typed, keys) in keys.into_iter().enumerate() {
            let sent = type_one(&call, &session, keys, params.special, typed).await;
            let sent = sent.map_err(|error| match typed {
                0 => error,
                _ => ApiError::PartlyTyped { typed, count, error: Box::new(error) },
            })?;
            (consumed, reacted) = (sent.consumed, sent.reacted);
        }
        let info = perform(call.context.clone(), info::Params { session }).await?;
        let state = State::new(info.activity, Some(info.keyboard));
        Ok(Reply { session_id: info.number, sent: true, consumed, reacted, state })
    }
}

/// Types one item with its own retry id, so that it is typed once. A refused item stops the rest.
async fn type_one(
    call: &Call,
    session: &str,
    keys: String,
    special: bool,
    nth: usize,
) -> Result<send::Reply, ApiError> {
    let mut call = call.clone();
    call.context.retry_id = format!("{}#{nth}", call.context.retry_id);
    let send = send::Params {
        session: session.to_owned(),
        text: Some(keys),
        special,
        // As keys, not as a paste.
        paste: Paste::Never,
        ..send::Params::default()
    };
    perform(call.context.clone(), send).await
}
