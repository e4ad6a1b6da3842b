//! Notifies clients of changed resources that they subscribed to, and of a changed list. Driven by the sessions'
//! events: without subscribers nothing is done, and a slow client delays only itself.
//!
//! Changes count from the arrival of the request: the client gets its confirmation before the session is viewed, and
//! may change something at once.

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

/// The least time between two notifications about one resource.
const PACE: Duration = Duration::from_millis(250);
/// Most resources that one client may subscribe to.
pub(super) const MOST: usize = 100;

/// When a request arrived; passed to its handler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrived(pub(super) Instant);

/// Where notifications go.
#[derive(Debug, Clone)]
pub(super) enum Listener {
    /// A client up to 2025-11-25: its connection.
    Connected(Peer<RoleServer>),
    /// A client since 2026-07-28: the answer to its request, in parts.
    Listening(SubscriptionSink),
}

/// The client is gone.
struct ClientGone;

impl Listener {
    async fn updated(&self, uri: &str) -> Result<(), ClientGone> {
        match self {
            Listener::Connected(peer) => peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .map_err(|_| ClientGone),
            Listener::Listening(sink) => sink.notify_resource_updated(uri).await.map_err(|_| ClientGone),
        }
    }

    async fn listed(&self) -> Result<(), ClientGone> {
        match self {
            Listener::Connected(peer) => peer.notify_resource_list_changed().await.map_err(|_| ClientGone),
            Listener::Listening(sink) => sink.notify_resource_list_changed().await.map_err(|_| ClientGone),
        }
    }
}

/// Notifies of each change of a session's part after `since`, until the session or the client is gone.
pub(super) async fn notify_updates(
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
) -> Result<(), ClientGone> {
    let mut last = None;
    while let Ok(mut viewer) = session.view().await {
        // Changes that were not viewed count, too: before the first view, and between two tasks of the session.
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
                // The next notification covers changes during this pause.
                tokio::time::sleep(PACE).await;
            }
            changed = match viewer.frames.recv().await {
                Ok(frame) => match &**frame {
                    Frame::Paint { data, seq, .. } => {
                        last = Some(*seq);
                        // An empty paint reports a change of activity, e.g. the end of a command.
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

/// Notifies whenever the list of the actor's sessions changes, and once if it may have changed after `since`.
pub(super) async fn notify_list(hub: Hub, actor: Actor, since: Instant, listener: Listener) {
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

/// The subscriptions of one connection. They end with it.
#[derive(Debug)]
pub(super) struct Subscriptions {
    /// For clients up to 2025-11-25.
    watching: Mutex<Watching>,
    /// Places for listeners since 2026-07-28.
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

    /// Places for a listener to this many resources, for as long as it listens.
    pub(super) fn place_for(&self, resources: usize) -> Option<SemaphorePermit<'_>> {
        // A listener to no resource takes one place, too.
        self.places.try_acquire_many(u32::try_from(resources.max(1)).ok()?).ok()
    }

    /// Subscribes; `false` if there are too many subscriptions.
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
        let task = watching.tasks.spawn(notify_updates(session, part, uri.clone(), since, listener));
        watching.by_uri.insert(uri, task);
        true
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        if let Some(task) = self.watching().by_uri.remove(uri) {
            task.abort();
        }
    }

    /// Notifies of list changes after `since`, for a client that has read the list.
    pub(super) fn list(&self, hub: Hub, actor: Actor, since: Instant, listener: Listener) {
        let mut watching = self.watching();
        if !std::mem::replace(&mut watching.listing, true) {
            watching.tasks.spawn(notify_list(hub, actor, since, listener));
        }
    }
}
