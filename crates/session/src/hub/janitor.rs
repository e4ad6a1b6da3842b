//! Lets go of what nobody comes back to. Sleeps until the next session's time may be over: no session is asked before.

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

/// Serves until the hub is gone. Told the number of a session when something may have changed how long it has, and after
/// how long to look at it.
pub(super) async fn serve(hub: Weak<Inner>, mut told: mpsc::UnboundedReceiver<(u32, Duration)>) {
    let mut due: BTreeSet<(Instant, u32)> = BTreeSet::new();
    let mut of: HashMap<u32, Instant> = HashMap::new();
    loop {
        let next = due.first().map(|(at, _)| *at);
        let (number, after) = tokio::select! {
            number = told.recv() => match number {
                Some(told) => told,
                None => return,
            },
            () = crate::task::sleep_until(next) => match due.first() {
                Some((_, number)) => (*number, Duration::ZERO),
                None => continue,
            },
        };
        if let Some(at) = of.remove(&number) {
            due.remove(&(at, number));
        }
        let Some(inner) = Weak::upgrade(&hub) else { return };
        let again = match after {
            Duration::ZERO => look(&Hub { inner }, number).await,
            after => Some(after),
        };
        if let Some(again) = again {
            let at = Instant::now() + again;
            of.insert(number, at);
            due.insert((at, number));
        }
    }
}

/// Looks at one session; answers after how long to look again.
async fn look(hub: &Hub, number: u32) -> Option<Duration> {
    let session = hub.state().sessions.get(number).cloned()?;
    let info = session.info().await.ok()?;
    match hub.inner.options.retention.judge(facts(hub, &info)) {
        Fate::Stay(again) => again,
        Fate::LetGo => {
            hub.let_go(&session, "", info.ended.and_then(|ended| ended.exit_code)).await;
            None
        }
        Fate::End => {
            tracing::info!(session = info.meta.id, idle_ms = info.idle_ms, "nobody came back to it");
            let hub = hub.clone();
            // Ending may take seconds; the others are not to wait for it.
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
        // Whoever was asked may still come.
        idle: match info.handoff.as_ref().is_some_and(HandoffRequest::is_open) {
            true => Duration::ZERO,
            false => Duration::from_millis(info.idle_ms),
        },
        at_prompt: info.activity == Activity::Prompt || (info.meta.nonce.is_none() && info.prompt),
        // Nor is one ended whose owner is not known any more.
        persons: info.meta.actor.kind == ActorKind::Person || info.meta.actor.owner.is_empty(),
        client_there: hub.is_present(&info.meta.actor.owner),
    }
}
