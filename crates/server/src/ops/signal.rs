//! `signal`: sends a signal to the program in the foreground.

use cotty_protocol::ApiError;
use cotty_protocol::op::signal::{Params, Reply};
use rustix::process::Signal as Sent;

use super::{Access, Context, Perform, Route};

/// The accepted names.
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

impl Perform for Params {
    const SUMMARY: &'static str = "Send a signal to the program in a session's foreground";
    const ACCESS: Access = Access::Write;
    const ROUTE: Route = Route::post("/v1/sessions/{session}/signal");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let asked = params.signal.as_deref().unwrap_or("INT").to_ascii_uppercase();
        let name = asked.strip_prefix("SIG").unwrap_or(&asked);
        let Some((_, signal)) = SIGNALS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = SIGNALS.iter().map(|(name, _)| *name).collect();
            return Err(ApiError::unknown("signal", &asked, names));
        };
        let (group, program) = session.signal(*signal, &context.typist(), &context.retry_id).await?;
        Ok(Reply { group, program })
    }
}
