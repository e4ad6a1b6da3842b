//! `send`: types into a session.

use cotty_protocol::ApiError;
use cotty_protocol::op::send::{Params, Reply};
use cotty_session::ActorKind;

use super::convert::{returned, send_input};
use super::{Access, Context, Perform, Route};

impl Perform for Params {
    const SUMMARY: &'static str = "Type text, press a key or use the mouse in a session";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/send");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let input = send_input(&params)?;
        let typist = context.typist();
        let retry_id = context.viewer.is_none().then_some(context.retry_id.as_str());
        let typed = session.send(input, &typist, retry_id, context.lease.as_ref()).await?;
        // Only paste brackets make the input longer than the text. After a retry nothing else shows that it was
        // pasted.
        let plain = |text: &String| text.replace("\r\n", "\n").len() as u64;
        let pasted = !params.special && params.text.as_ref().is_some_and(|text| typed.bytes > plain(text));
        // A person or a viewer sees the reaction; an agent needs a report.
        let sees = typist.kind == ActorKind::Person || context.viewer.is_some();
        let reaction = match sees && !params.observe {
            true => None,
            false => Some(session.observe(typed.seq, params.text).await?),
        };
        Ok(Reply {
            bytes: typed.bytes,
            seq: typed.seq,
            consumed: reaction.map(|r| r.consumed),
            reacted: reaction.map(|r| r.reacted),
            submitted: reaction.map(|r| r.submitted),
            pasted,
            dropped: typed.dropped,
            returned: typed.returned.map(returned),
        })
    }
}
