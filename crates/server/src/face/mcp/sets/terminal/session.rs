//! A session, as lists and `terminal__get_info` show it.

use cotty_protocol::op::{Dimensions, HistoryLost, Place, SessionInfo};
use schemars::JsonSchema;
use serde::Serialize;

use crate::face::mcp::contract::state::{Doing, Keyboard};

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Session {
    session_id: String,
    /// A small number, to use instead of the id.
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    program: String,
    args: Vec<String>,
    pid: u32,
    created_at: String,
    /// 1-based.
    cursor: Place,
    dimensions: Dimensions,
    exited: bool,
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    healthy: bool,
    cwd: Option<String>,
    state: Doing,
    /// The program in the foreground.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreground: Option<String>,
    #[serde(flatten)]
    keyboard: Keyboard,
    /// ms since the last output or input.
    idle_ms: u64,
    /// Which history was lost, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_lost: Option<HistoryLost>,
    next_since: u64,
}

impl From<SessionInfo> for Session {
    fn from(info: SessionInfo) -> Session {
        let (state, foreground) = Doing::of(info.activity);
        Session {
            session_id: info.session_id,
            number: info.number,
            name: info.name,
            title: info.title,
            program: info.program,
            args: info.args,
            pid: info.pid,
            created_at: info.created_at,
            cursor: info.cursor,
            dimensions: info.dimensions,
            exited: info.exited,
            exit_code: info.exit_code,
            signal: info.signal,
            healthy: info.healthy,
            cwd: info.cwd,
            state,
            foreground,
            keyboard: Keyboard::of(Some(info.keyboard)),
            idle_ms: info.idle_ms,
            history_lost: info.history_lost,
            next_since: info.seq,
        }
    }
}
