//! `signal`: to the program in the foreground.

use cotty_protocol::op::signal::{Params, Reply};
use cotty_protocol::{Code, Fault};
use rustix::process::Signal as Sent;

use super::convert::fault;
use super::{Access, Context, Operation, Route};

/// By the names that are taken.
const SIGNALS: &[(&str, Sent)] = &[
    ("INT", Sent::INT),
    ("TERM", Sent::TERM),
    ("HUP", Sent::HUP),
    ("KILL", Sent::KILL),
    ("QUIT", Sent::QUIT),
    ("STOP", Sent::STOP),
    ("TSTP", Sent::TSTP),
    ("CONT", Sent::CONT),
    ("USR1", Sent::USR1),
    ("USR2", Sent::USR2),
];

/// See the module.
#[derive(Debug)]
pub struct Signal;

impl Operation for Signal {
    const NAME: &'static str = "signal";
    const SUMMARY: &'static str = "Send a signal to the program in a session's foreground";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/signal");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, Fault> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let asked = params.signal.as_deref().unwrap_or("INT").to_ascii_uppercase();
        let name = asked.strip_prefix("SIG").unwrap_or(&asked);
        let Some((_, signal)) = SIGNALS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = SIGNALS.iter().map(|(name, _)| *name).collect();
            return Err(Fault::new(Code::InvalidInput, format!("there is no signal `{asked}` to send"))
                .with_hint(format!("there are: {}", names.join(", "))));
        };
        let (group, program) =
            session.signal(*signal, &context.typist(), &context.request).await.map_err(fault)?;
        Ok(Reply { group, program })
    }
}
