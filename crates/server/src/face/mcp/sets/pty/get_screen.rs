use cotty_protocol::ApiError;
use cotty_protocol::op::read;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_session;
use super::reference::Reference;
use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Most lines of one answer.
const MOST: i64 = 1000;

pub(super) struct GetScreen;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session's number.
    session_id: Reference,
    /// Also return text with colours. Default: false.
    #[serde(default)]
    include_colors: bool,
    /// Also return the cursor. Default: true.
    #[serde(default = "yes")]
    include_cursor: bool,
    /// First line: 0 is the screen's top row, -1 the newest line that left the screen, -50 the fiftieth newest. Default: 0.
    start_line: Option<i64>,
    /// Last line, included; counted in the same way. Default: the screen's bottom row.
    end_line: Option<i64>,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    session_id: u32,
    /// The lines, without trailing spaces; of a whole screen, without blank rows at the bottom.
    contents: String,
    /// [column, row] on the screen, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor_position: Option<[u16; 2]>,
    /// [columns, rows].
    size: [u16; 2],
    /// The contents with ANSI escape sequences for colours.
    #[serde(skip_serializing_if = "Option::is_none")]
    colors: Option<String>,
    /// Lines above the screen that start_line can reach.
    lines_above: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(flatten)]
    state: State,
}

impl McpTool for GetScreen {
    const NAME: &'static str = "pty_get_screen";
    const TITLE: &'static str = "Look at a terminal";
    const DESCRIPTION: &'static str =
        "Read the screen of a session, or a range of its lines and history, and what it is doing.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let info = find_session(&call, &params.session_id).await?;
        let whole = params.start_line.is_none() && params.end_line.is_none();
        let first = params.start_line.unwrap_or(0);
        let bottom = i64::from(info.dimensions.rows) - 1;
        let last = params.end_line.unwrap_or(bottom).min(bottom);
        if first > last {
            let message = match params.end_line {
                _ if first > bottom => format!("line {first} is below the screen (0 to {bottom})"),
                Some(end) => format!("start_line {first} is after end_line {end}"),
                None => format!("start_line {first} is after the screen's last line {last}"),
            };
            return Err(ApiError::invalid_instead(
                message,
                format!("the screen has lines 0 to {bottom}; older lines are negative"),
            ));
        }
        if last.saturating_sub(first) >= MOST {
            return Err(ApiError::TooManyLines { first, last, most: MOST });
        }
        let read = read::Params {
            session: info.session_id,
            view: read::View::Lines,
            first_line: Some(first),
            last_line: Some(last),
            styled: params.include_colors,
            ..read::Params::default()
        };
        let read = perform(call.context.clone(), read).await?;
        let trimmed = |text: String| match whole {
            true => text.trim_end_matches('\n').to_owned(),
            false => text,
        };
        let cursor = read.cursor.filter(|_| params.include_cursor);
        Ok(Reply {
            session_id: info.number,
            contents: trimmed(read.content),
            cursor_position: cursor.map(|at| [at.col - 1, at.row - 1]),
            size: [read.dimensions.cols, read.dimensions.rows],
            colors: read.styled.map(trimmed),
            lines_above: read.history.unwrap_or(0),
            exit_code: read.exit_code,
            state: State::new(read.activity, Some(info.keyboard)),
        })
    }
}
