//! `status`: describes the daemon.

use cotty_protocol::ApiError;
use cotty_protocol::op::status::{Format, Formats, Params, Reply};

use cotty_session::ActorKind;

use super::{Access, Context, Perform, Route};

/// The versions of the formats that this daemon writes for the next one and reads from the previous one.
pub fn formats() -> Formats {
    let ours = cotty_session::formats();
    let format = |one: cotty_session::Format| Format { writes: one.writes, reads_from: one.reads_from };
    Formats {
        checkpoint: format(ours.checkpoint),
        engine: format(ours.engine),
        journal: format(ours.journal),
    }
}

impl Perform for Params {
    const SUMMARY: &'static str = "Describe the daemon and where it listens";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/status");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let (live, exited) = context.hub.count();
        let daemon = &context.daemon;
        // Whoever has the link is the person.
        let link = match context.may(Access::Person) {
            Ok(()) => daemon.link(),
            Err(_) => daemon.http.clone(),
        };
        Ok(Reply {
            pid: std::process::id(),
            keeper_pid: daemon.keeper_pid,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            http: daemon.http.clone(),
            link,
            socket: daemon.socket.to_string_lossy().into_owned(),
            you: match context.actor.kind {
                ActorKind::Person => cotty_protocol::ActorKind::Person,
                ActorKind::Agent => cotty_protocol::ActorKind::Agent,
                ActorKind::Child => cotty_protocol::ActorKind::Child,
            },
            descriptors: std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count),
            last_failure: daemon.last_failure.clone(),
            live,
            exited,
            formats: Some(formats()),
        })
    }
}
