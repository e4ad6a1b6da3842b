//! Updates for front ends, which draw lines instead of paints: first a snapshot, then changes, and from time to time a
//! snapshot again. Each is made once and shared by all subscribers.
//!
//! A subscriber that reads too slowly misses updates and gets a new snapshot when it reads again. Neither the terminal
//! nor another subscriber waits for it.

mod snapshot;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_vt::Vt;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, oneshot};

use crate::handle::Ended;
use crate::viewers::pace::Shared;
use crate::viewers::publisher::Publisher;
use crate::{Session, SessionError};

pub use snapshot::{Line, Run, Snapshot, Update};
use snapshot::{ShownScreen, Step};

/// While the screen changes, a snapshot is sent this often. A front end that applied an update wrongly is correct again
/// after this time.
const SNAPSHOTS: Duration = Duration::from_millis(200);

/// Updates that belong together. Only after the last one does the front end show a screen that the program drew.
pub type Batch = Arc<[Shared<Update>]>;

/// What a new subscriber gets.
#[derive(Debug)]
pub(crate) struct Subscribed {
    /// The screen now.
    pub(crate) first: Batch,
    /// Later changes.
    pub(crate) rest: broadcast::Receiver<Batch>,
}

/// A subscription to a session's updates.
#[derive(Debug)]
pub struct Subscription {
    session: Session,
    first: Option<Batch>,
    rest: broadcast::Receiver<Batch>,
    /// It missed updates and needs a snapshot.
    lagged: bool,
    over: bool,
}

impl Subscription {
    pub(crate) async fn new(session: Session) -> Result<Subscription, SessionError> {
        let Subscribed { first, rest } = session.join_updates().await?;
        Ok(Subscription { session, first: Some(first), rest, lagged: false, over: false })
    }

    /// The next batch. The first batch, and the first after missed updates, begins with a snapshot. `None` after the
    /// program's exit was sent, or if the session is gone.
    pub async fn next(&mut self) -> Option<Batch> {
        if self.over {
            return None;
        }
        let batch = match self.first.take() {
            Some(first) => Some(first),
            None => self.later().await,
        };
        let is_last = |batch: &Batch| matches!(batch.last().map(|last| &**last), Some(Update::Exited(_)));
        self.over = batch.as_ref().is_none_or(is_last);
        batch
    }

    async fn later(&mut self) -> Option<Batch> {
        // `lagged` is a field, not a local variable: a caller can drop this future and call again.
        while !self.lagged {
            match self.rest.recv().await {
                Ok(batch) => return Some(batch),
                Err(RecvError::Lagged(_)) => self.lagged = true,
                Err(RecvError::Closed) => return None,
            }
        }
        // Too slow: fetch the newest screen instead of the missed updates.
        let again = self.session.join_updates().await.ok()?;
        self.rest = again.rest;
        self.lagged = false;
        Some(again.first)
    }
}

/// The session's subscribers. Decides what is sent when; the time and the terminal are arguments.
#[derive(Debug)]
pub(crate) struct Updates {
    batches: Publisher<Batch, Subscribed>,
    /// What the subscribers that are up to date show; `None` without subscribers.
    shown: Option<ShownScreen>,
    /// When the next snapshot is sent to all subscribers.
    snapshot_due: Option<Instant>,
    rang: bool,
    ended: Option<Ended>,
}

impl Updates {
    pub(crate) fn new() -> Updates {
        Updates { batches: Publisher::new(), shown: None, snapshot_due: None, rang: false, ended: None }
    }

    pub(crate) fn any(&self) -> bool {
        self.batches.any()
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        self.batches.want(now);
    }

    /// The bell rang.
    pub(crate) fn bell(&mut self, now: Instant) {
        self.rang = self.any();
        self.changed(now);
    }

    /// The program ended.
    pub(crate) fn ended(&mut self, ended: Ended, now: Instant) {
        if self.ended.replace(ended).is_none() {
            self.batches.forget_whole();
            self.changed(now);
        }
    }

    /// Adds a subscriber. It is answered with the next batch.
    pub(crate) fn join(&mut self, reply: oneshot::Sender<Subscribed>, now: Instant) {
        self.batches.join(reply, now);
    }

    /// When the next batch is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let snapshot = self.snapshot_due.filter(|_| self.any());
        [self.batches.due(), snapshot].into_iter().flatten().min()
    }

    /// Sends what changed. Call it when [`Updates::wakeup`] is due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant) {
        let wanted = self.batches.begin(now);
        if self.batches.receivers() == 0 {
            // No subscriber is up to date.
            self.shown = None;
            self.batches.forget_whole();
            self.snapshot_due = None;
            self.rang = false;
        }
        let due = self.snapshot_due.is_some_and(|due| due <= now);
        if wanted || due {
            self.send_changes(vt, now, due);
        }
        let (shown, ended) = (&mut self.shown, self.ended);
        let whole = || {
            let shown = shown.get_or_insert_with(|| ShownScreen::of(vt));
            let mut out = vec![Update::Snapshot(shown.snapshot.clone())];
            out.extend(ended.map(Update::Exited));
            batch(out)
        };
        self.batches.welcome(whole, |first, rest| Subscribed { first, rest });
    }

    /// Sends the changes to the subscribers that are up to date.
    fn send_changes(&mut self, vt: &Vt, now: Instant, due: bool) {
        let Some(shown) = &mut self.shown else { return };
        let (mut out, whole) = match shown.advance(vt) {
            Step::Same => (Vec::new(), due),
            Step::Updates(updates) => {
                self.batches.forget_whole();
                self.snapshot_due.get_or_insert(now + SNAPSHOTS);
                (updates, due)
            }
            Step::Resized => {
                self.batches.forget_whole();
                (Vec::new(), true)
            }
        };
        if std::mem::take(&mut self.rang) {
            out.push(Update::Bell);
        }
        // The last batch has everything, including what only snapshots contain.
        if whole || (self.ended.is_some() && self.snapshot_due.is_some()) {
            self.snapshot_due = None;
            out.push(Update::Snapshot(shown.snapshot.clone()));
        }
        out.extend(self.ended.map(Update::Exited));
        if !out.is_empty() {
            self.batches.send(batch(out));
        }
    }
}

fn batch(updates: Vec<Update>) -> Batch {
    updates.into_iter().map(Shared::new).collect()
}
