//! `read`: reads a session, after waiting if asked to.

use cotty_protocol::ApiError;
use cotty_protocol::op::{
    self,
    read::{Format, Params, Reply, View},
};
use cotty_session::{self as session, Cut};

use super::convert::{self, dimensions, place};
use super::{Access, Context, Perform, Route};

const DEFAULT_LIMIT: usize = 1000;
/// Longest name of a reader: it is kept with the session.
const READER: usize = 64;

impl Perform for Params {
    const SUMMARY: &'static str = "Read the screen, new output, or the history";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/read");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let (met, why) = match params.wait {
            Some(wait) => {
                let waited = session.wait(wait).await?;
                (Some(waited.met), waited.why)
            }
            None => (None, None),
        };
        let view = match params.view {
            View::Screen => session::View::Screen,
            View::New => session::View::New,
            View::Changes => session::View::Changes,
            View::Scrollback => {
                let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
                session::View::Scrollback { offset: params.offset, limit }
            }
            View::Lines => {
                let (first, last) = (params.first_line, params.last_line);
                session::View::Lines { first, last, styled: params.styled }
            }
            View::Whole => session::View::Whole { limit: params.limit.unwrap_or(DEFAULT_LIMIT) },
        };
        let raw = params.format == Format::Raw;
        // Every client has its own read position, so that readers do not take output from each other.
        let owner = &context.actor.owner;
        let reader = match &params.reader {
            Some(reader) if reader.len() > READER => {
                return Err(ApiError::invalid(format!("a reader's name has at most {READER} bytes")));
            }
            Some(reader) => format!("{owner}: {reader}"),
            None => owner.clone(),
        };
        let most = params.max_bytes.filter(|&most| most > 0).unwrap_or(usize::MAX);
        let reading = session.read(view, raw, &reader, &context.retry_id, params.since, most).await?;
        let info = reading.info;
        let cut = match params.view {
            View::New if params.offset > 0 => Cut::page(&reading.content, params.offset, most),
            _ => Cut::head_and_tail(reading.content, most),
        };
        // Only new output has a seq to read again from; a screen has none.
        let from = (params.view == View::New).then_some(reading.from);
        let left_out = cut.left_out.map(|cut| convert::left_out(cut, from));
        Ok(Reply {
            lines: cut.text.lines().count(),
            content: cut.text,
            styled: reading.styled,
            history: (params.view == View::Lines).then_some(reading.history),
            rows: reading.rows.iter().map(|row| row + 1).collect(),
            left_out,
            cursor: matches!(params.view, View::Screen | View::Lines | View::Whole)
                .then(|| place(info.cursor)),
            dimensions: dimensions(info.size),
            has_new_content: reading.has_new,
            images: reading.images,
            prompt_detected: info.prompt,
            idle: met == Some(op::Met::Idle),
            exited: info.ended.is_some(),
            exit_code: info.ended.and_then(|e| e.exit_code),
            activity: info.activity,
            keyboard: convert::keyboard_news(info.keyboard),
            dropped_lines: reading.dropped,
            history_lost: reading.lost.map(convert::history_lost),
            seq: info.seq,
            met,
            why,
        })
    }
}
