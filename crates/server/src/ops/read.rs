//! `read`: what a session shows, after waiting for something if asked to.

use cotty_protocol::Fault;
use cotty_protocol::op::read::{Format, Params, Reply, View};
use cotty_session as session;

use super::convert::{self, dimensions, fault, place};
use super::{Access, Context, Operation};

const DEFAULT_LIMIT: usize = 1000;

/// See the module.
#[derive(Debug)]
pub struct Read;

impl Operation for Read {
    const NAME: &'static str = "read";
    const SUMMARY: &'static str = "Read the screen, what is new, or what left the screen";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, Fault> {
        let session = context.hub.find(&params.session).map_err(fault)?;
        let met = match params.wait {
            Some(wait) => Some(session.wait(convert::wait(wait)?).await.map_err(fault)?.met),
            None => None,
        };
        let view = match params.view {
            View::Screen => session::View::Screen,
            View::New => session::View::New,
            View::Scrollback => {
                let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
                session::View::Scrollback { offset: params.offset, limit }
            }
        };
        let raw = params.format == Format::Raw;
        // Every client has its own place, so that readers do not steal from each other.
        let reading = session.read(view, raw, &context.actor.owner, params.since).await.map_err(fault)?;
        let info = reading.info;
        Ok(Reply {
            lines: reading.content.lines().count(),
            content: reading.content,
            cursor: (params.view == View::Screen).then(|| place(info.cursor)),
            dimensions: dimensions(info.size),
            has_new_content: reading.has_new,
            prompt_detected: info.prompt,
            idle: met == Some(session::Met::Idle),
            exited: info.ended.is_some(),
            exit_code: info.ended.and_then(|e| e.exit_code),
            activity: convert::activity(info.activity),
            dropped_lines: reading.dropped,
            seq: info.seq,
            met: met.map(convert::met),
        })
    }
}
