//! Word of what changes: resources that a client subscribed to, and the list of them. Driven by the sessions' own events:
//! where nobody subscribes nothing is done, and a client that reads slowly makes nobody wait but itself.
//!
//! What counts as a change is counted from when the request arrived: the client is told that it is listened for before
//! anybody can look, and may change something at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cotty_session::{Actor, Frame, Hub, Session};
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{AbortHandle, JoinSet};

use super::resources::Part;

/// The least time between two words about one resource.
const PACE: Duration = Duration::from_millis(250);
/// Most resources that one client may subscribe to.
pub(super) const MOST: usize = 100;

/// When a request arrived. Goes with it to its handler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrived(pub(super) Instant);

/// Where words go to.
#[derive(Debug, Clone)]
pub(super) enum Listener {
    /// A client up to 2025-11-25: to its connection.
    Connected(Peer<RoleServer>),
    /// One since 2026-07-28: as parts of the answer to its request.
    Listening(SubscriptionSink),
}

/// Nobody listens any more.
struct Deaf;

impl Listener {
    async fn updated(&self, uri: &str) -> Result<(), Deaf> {
        match self {
            Listener::Connected(peer) => peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .map_err(|_| Deaf),
            Listener::Listening(sink) => sink.notify_resource_updated(uri).await.map_err(|_| Deaf),
        }
    }

    async fn listed(&self) -> Result<(), Deaf> {
        match self {
            Listener::Connected(peer) => peer.notify_resource_list_changed().await.map_err(|_| Deaf),
            Listener::Listening(sink) => sink.notify_resource_list_changed().await.map_err(|_| Deaf),
        }
    }
}

/// Tells of each change of a session's part since then, until the session is gone or nobody listens.
pub(super) async fn tell_updates(
    session: Session,
    part: Part,
    uri: String,
    since: Instant,
    listener: Listener,
) {
    let _ = updates(session, part, &uri, since, &listener).await;
}

async fn updates(
    session: Session,
    part: Part,
    uri: &str,
    since: Instant,
    listener: &Listener,
) -> Result<(), Deaf> {
    let mut last = None;
    while let Ok(mut viewer) = session.view().await {
        // What happened while nobody looked is a change, too: before the first look, and between two sessions' tasks.
        let mut changed = match (&**viewer.first, last) {
            (Frame::Paint { seq, .. }, Some(last)) => *seq != last,
            _ => viewer.changed_since(since),
        };
        if let Frame::Paint { seq, .. } = &**viewer.first {
            last = Some(*seq);
        }
        loop {
            if changed {
                listener.updated(uri).await?;
                // Whatever comes meanwhile is told with the next word.
                tokio::time::sleep(PACE).await;
            }
            changed = match viewer.frames.recv().await {
                Ok(frame) => match &**frame {
                    Frame::Paint { data, seq, .. } => {
                        last = Some(*seq);
                        // What the session does is told, too, with an empty paint; a command can end so.
                        !data.is_empty() || part == Part::Commands
                    }
                    Frame::Exited(_) => {
                        return listener.updated(uri).await;
                    }
                },
                Err(RecvError::Lagged(_)) => true,
                Err(RecvError::Closed) => break,
            };
        }
    }
    Ok(())
}

/// Tells whenever the sessions that the actor may have are others than before, and once if they may be others than then.
pub(super) async fn tell_list(hub: Hub, actor: Actor, since: Instant, listener: Listener) {
    let mut changes = hub.changes();
    let mut known = hub.ids_for(&actor);
    let missed = changes.borrow().is_some_and(|changed| changed >= since);
    if missed && listener.listed().await.is_err() {
        return;
    }
    while changes.changed().await.is_ok() {
        let now = hub.ids_for(&actor);
        if now != known {
            known = now;
            if listener.listed().await.is_err() {
                return;
            }
        }
    }
}

/// What one connection is subscribed to. Ends with it.
#[derive(Debug)]
pub(super) struct Subscriptions {
    /// Up to 2025-11-25.
    watching: Mutex<Watching>,
    /// Places for what is listened to since.
    places: Semaphore,
}

impl Default for Subscriptions {
    fn default() -> Subscriptions {
        Subscriptions { watching: Mutex::default(), places: Semaphore::new(MOST) }
    }
}

#[derive(Debug, Default)]
struct Watching {
    tasks: JoinSet<()>,
    by_uri: HashMap<String, AbortHandle>,
    listing: bool,
}

impl Subscriptions {
    fn watching(&self) -> std::sync::MutexGuard<'_, Watching> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room for one who listens to so many resources, for as long as it does.
    pub(super) fn place_for(&self, resources: usize) -> Option<SemaphorePermit<'_>> {
        // Who listens to none is somebody all the same.
        self.places.try_acquire_many(u32::try_from(resources.max(1)).ok()?).ok()
    }

    /// Whether it could be taken on.
    pub(super) fn subscribe(
        &self,
        session: Session,
        part: Part,
        uri: String,
        since: Instant,
        listener: Listener,
    ) -> bool {
        let mut watching = self.watching();
        while watching.tasks.try_join_next().is_some() {}
        watching.by_uri.retain(|_, task| !task.is_finished());
        if watching.by_uri.contains_key(&uri) {
            return true;
        }
        if watching.by_uri.len() >= MOST {
            return false;
        }
        let task = watching.tasks.spawn(tell_updates(session, part, uri.clone(), since, listener));
        watching.by_uri.insert(uri, task);
        true
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        if let Some(task) = self.watching().by_uri.remove(uri) {
            task.abort();
        }
    }

    /// Tells of the list since then; asked for by whoever has read it.
    pub(super) fn list(&self, hub: Hub, actor: Actor, since: Instant, listener: Listener) {
        let mut watching = self.watching();
        if !std::mem::replace(&mut watching.listing, true) {
            watching.tasks.spawn(tell_list(hub, actor, since, listener));
        }
    }
}
