//! Removes unused sessions. It sleeps until the time of the next session may be over, and asks no session earlier.

use std::collections::{BTreeSet, HashMap};
use std::sync::Weak;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::retention::{Facts, Fate};
use super::{Hub, Inner};
use crate::handle::Info;
use crate::handoff::state::HandoffRequest;
use crate::hub::meta::now_ms;
use crate::{Activity, ActorKind};

/// Runs until the hub is gone. `checks` receives the number of a session whose remaining time may have changed, and after
/// how long to check it.
pub(super) async fn serve(hub: Weak<Inner>, mut checks: mpsc::UnboundedReceiver<(u32, Duration)>) {
    let mut due: BTreeSet<(Instant, u32)> = BTreeSet::new();
    let mut due_of: HashMap<u32, Instant> = HashMap::new();
    loop {
        let next = due.first().map(|(at, _)| *at);
        let (number, after) = tokio::select! {
            check = checks.recv() => match check {
                Some(check) => check,
                None => return,
            },
            () = crate::task::sleep_until(next) => match due.first() {
                Some((_, number)) => (*number, Duration::ZERO),
                None => continue,
            },
        };
        if let Some(at) = due_of.remove(&number) {
            due.remove(&(at, number));
        }
        let Some(inner) = Weak::upgrade(&hub) else { return };
        let again = match after {
            Duration::ZERO => check(&Hub { inner }, number).await,
            after => Some(after),
        };
        if let Some(again) = again {
            let at = Instant::now() + again;
            due_of.insert(number, at);
            due.insert((at, number));
        }
    }
}

/// Checks one session; returns after how long to check it again.
async fn check(hub: &Hub, number: u32) -> Option<Duration> {
    let session = hub.state().sessions.get(number).cloned()?;
    let info = session.info().await.ok()?;
    match hub.inner.options.retention.judge(facts(hub, &info)) {
        Fate::Stay(again) => again,
        Fate::Remove => {
            hub.remove(&session, "", info.ended.and_then(|ended| ended.exit_code)).await;
            None
        }
        Fate::End => {
            tracing::info!(session = info.meta.id, idle_ms = info.idle_ms, "ending an unused session");
            let hub = hub.clone();
            // Ending may take seconds, and other sessions must not wait for it.
            tokio::spawn(
                async move { hub.destroy(&info.meta.id, false, "nobody came back").await.map(drop) },
            );
            None
        }
    }
}

fn facts(hub: &Hub, info: &Info) -> Facts {
    let ended = info.ended.map(|ended| Duration::from_millis(now_ms().saturating_sub(ended.at_ms)));
    Facts {
        ended,
        // An open hand-off request keeps the session: a person may still answer it.
        idle: match info.handoff.as_ref().is_some_and(HandoffRequest::is_open) {
            true => Duration::ZERO,
            false => Duration::from_millis(info.idle_ms),
        },
        at_prompt: info.activity == Activity::Prompt || (info.meta.nonce.is_none() && info.prompt),
        // A session whose owner is unknown is treated as a person's.
        persons: info.meta.actor.kind == ActorKind::Person || info.meta.actor.owner.is_empty(),
        client_there: hub.is_present(&info.meta.actor.owner),
    }
}
