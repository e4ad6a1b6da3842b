use cotty_protocol::ApiError;
use cotty_protocol::op::read::{self as reading, View};
use cotty_protocol::op::send::{self, Paste};
use cotty_protocol::op::{keyboard, mouse};
use cotty_session::InputLease;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read;
use super::step::{self, Did, Step};
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Most bytes of changed rows; the agent can read the rest.
const CHANGED: usize = 4 << 10;
/// Most steps of one call.
const STEPS: usize = 100;

pub(super) struct Send;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    /// Text to type; \n is the Enter key, but several lines are one paste (in vim, send "i" first). Give one of text, key, mouse and steps.
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
    /// Paste text in brackets: true, false or "auto" (default: several lines, if the program enabled it).
    bracketed_paste: Option<BracketedPaste>,
    /// Use the mouse on a label that the screen shows, or at row and col (from 1); only if the program enabled it.
    mouse: Option<Mouse>,
    /// Several inputs, in order: each is text, key, mouse or wait (as in terminal__wait). Stops at the first that fails or times out.
    steps: Option<Vec<Step>>,
    /// Then read, in the same call: the parameters of terminal__read without session_id. Default: you get the changed rows.
    #[schemars(schema_with = "read::bare")]
    #[serde(default)]
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

// The operation's mouse parameters, without its long descriptions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Mouse {
    #[schemars(schema_with = "actions")]
    action: mouse::Action,
    #[schemars(schema_with = "buttons")]
    button: mouse::Button,
    label: Option<String>,
    nth: Option<usize>,
    row: Option<u16>,
    col: Option<u16>,
    down: Option<i16>,
    right: Option<i16>,
}

fn actions(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "enum": ["click", "double_click", "press", "release", "move", "scroll"] })
}

fn buttons(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "enum": ["left", "middle", "right", "none"] })
}

impl From<Mouse> for mouse::Mouse {
    fn from(given: Mouse) -> mouse::Mouse {
        let Mouse { action, button, label, nth, row, col, down, right } = given;
        mouse::Mouse { action, button, row, col, label, nth, down, right }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// Whether everything was typed.
    sent: bool,
    /// Whether the program read it within 80 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed: Option<bool>,
    /// Whether the screen changed beyond the echo within 80 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    reacted: Option<bool>,
    /// The text was pasted: its lines are text, not Enter keys or editor commands.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pasted: bool,
    /// Bytes of earlier input that this interrupt removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
    /// What each step did.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Did>>,
    /// Steps after one that failed.
    #[serde(skip_serializing_if = "is_zero")]
    steps_not_done: usize,
    /// Present if read was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_result: Option<read::Reply>,
    /// Without read: the rows that changed, each with its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    #[serde(flatten)]
    state: Option<State>,
    /// What a person did with the keyboard before.
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<keyboard::Returned>,
    /// Output before this is older than your input.
    since: u64,
    next_since: u64,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl McpTool for Send {
    const NAME: &'static str = "terminal__send";
    const TITLE: &'static str = "Type into a terminal";
    const DESCRIPTION: &'static str = "Type text, press a key or use the mouse in the session's program, and see the result in the same call.";
    const ACCESS: Access = Access::Write;
    const DESTRUCTIVE: bool = true;
    type Params = Params;
    type Reply = Reply;

    async fn call(mut call: Call, mut params: Params) -> Result<Reply, ApiError> {
        let (session, how) = (std::mem::take(&mut params.session_id), params.read.take());
        let mut sent = match params.steps.take() {
            Some(steps) => {
                let sent = steps_of(&call, &session, steps, &params).await?;
                call = call.afresh();
                sent
            }
            None => once(&call, &session, params).await?,
        };
        match how {
            Some(how) => {
                let read = how.read(call, session, Some(sent.since)).await?;
                sent.next_since = read.next_since;
                sent.read_result = Some(read);
            }
            None => sent.read_changes(call, session).await?,
        }
        Ok(sent)
    }
}

async fn once(call: &Call, session: &str, params: Params) -> Result<Reply, ApiError> {
    let paste = match params.bracketed_paste {
        Some(BracketedPaste::Set(true)) => Paste::Always,
        Some(BracketedPaste::Set(false)) => Paste::Never,
        Some(BracketedPaste::Auto(Auto::Auto)) | None => Paste::Auto,
    };
    let send = send::Params {
        session: session.to_owned(),
        text: params.text,
        key: params.key,
        ctrl: params.ctrl,
        alt: params.alt,
        shift: params.shift,
        mouse: params.mouse.map(Into::into),
        paste,
        ..send::Params::default()
    };
    let sent = perform(call.context.clone(), send).await?;
    Ok(Reply {
        consumed: sent.consumed,
        reacted: sent.reacted,
        pasted: sent.pasted,
        dropped: Some(sent.dropped).filter(|dropped| *dropped > 0),
        returned: sent.returned,
        ..Reply::new(true, sent.seq)
    })
}

async fn steps_of(call: &Call, session: &str, steps: Vec<Step>, params: &Params) -> Result<Reply, ApiError> {
    if params.text.is_some() || params.key.is_some() || params.mouse.is_some() {
        return Err(ApiError::invalid(
            "`steps` cannot be combined with text, key or mouse: put them into steps",
        ));
    }
    let count = steps.len();
    if count == 0 || count > STEPS {
        return Err(ApiError::invalid(format!("give 1 to {STEPS} steps, not {count}")));
    }
    let mut progress = step::Progress::of(call, session, count).await?;
    let mut done = Vec::new();
    // One lease for all steps: no other call types between the first input and the last.
    let mut call = call.clone().afresh();
    call.context.lease = Some(InputLease::new(format!("send of {count} steps")));
    for (at, step) in steps.into_iter().enumerate() {
        let did = progress.take(&call, session, step, at).await;
        let stopped = did.stopped();
        if let (0, Some(error)) = (at, did.failed.clone()) {
            return Err(error);
        }
        done.push(did);
        if stopped {
            break;
        }
    }
    let sent = !done.last().is_some_and(Did::stopped);
    let steps_not_done = count - done.len();
    // The seq of the first input. A call that only waited shows the whole screen.
    let since = progress.first.unwrap_or(0);
    let steps = Some(done);
    Ok(Reply { steps, steps_not_done, returned: progress.returned, ..Reply::new(sent, since) })
}

impl Reply {
    fn new(sent: bool, since: u64) -> Reply {
        Reply {
            sent,
            consumed: None,
            reacted: None,
            pasted: false,
            dropped: None,
            steps: None,
            steps_not_done: 0,
            read_result: None,
            changed: None,
            state: None,
            returned: None,
            since,
            next_since: since,
        }
    }

    /// The rows that changed since the input, and the state.
    async fn read_changes(&mut self, call: Call, session: String) -> Result<(), ApiError> {
        let (view, since) = (View::Changes, Some(self.since));
        let params = reading::Params { session, view, since, ..reading::Params::default() };
        let read = perform(call.context, params).await?;
        let mut changed = String::new();
        let mut rows = read.rows.iter().zip(read.content.split('\n'));
        for (row, text) in rows.by_ref() {
            if changed.len() + text.len() > CHANGED {
                changed.push_str(&format!("({} more rows changed)", rows.count() + 1));
                break;
            }
            changed.push_str(&format!("{row}: {text}\n"));
        }
        self.changed = (!changed.is_empty()).then_some(changed);
        self.state = Some(State::new(read.activity, read.keyboard));
        self.next_since = read.seq;
        Ok(())
    }
}
