//! Updates for front ends that draw lines, not paints: a snapshot, then what changed of it, and a snapshot again from
//! time to time. Each is made once and shared by all subscribers.
//!
//! A subscriber that reads too slowly has no queue: it gets a fresh snapshot when it can take one, and neither the
//! terminal nor another subscriber waits for it.

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

/// How long a subscriber that lost its way may have to wait for a snapshot, and how often there is one.
const SNAPSHOTS: Duration = Duration::from_millis(200);

/// Updates that belong together: after the last of them the screen is one that the program has shown.
pub type Batch = Arc<[Shared<Update>]>;

/// The beginning of a subscription.
#[derive(Debug)]
pub(crate) struct Subscribed {
    /// The screen now.
    pub(crate) first: Batch,
    /// What changes from then on.
    pub(crate) rest: broadcast::Receiver<Batch>,
}

/// One subscriber's end.
#[derive(Debug)]
pub struct Subscription {
    session: Session,
    first: Option<Batch>,
    rest: broadcast::Receiver<Batch>,
    /// It missed something, and needs a snapshot.
    lost: bool,
    over: bool,
}

impl Subscription {
    pub(crate) async fn new(session: Session) -> Result<Subscription, SessionError> {
        let Subscribed { first, rest } = session.join_updates().await?;
        Ok(Subscription { session, first: Some(first), rest, lost: false, over: false })
    }

    /// What comes next; the first has a snapshot, and so has the first after a gap. `None`: the end of the program
    /// was told, or the session is gone.
    pub async fn next(&mut self) -> Option<Batch> {
        if self.over {
            return None;
        }
        let batch = match self.first.take() {
            Some(first) => Some(first),
            None => self.later().await,
        };
        let told_the_end =
            |batch: &Batch| matches!(batch.last().map(|last| &**last), Some(Update::Exited(_)));
        self.over = batch.as_ref().is_none_or(told_the_end);
        batch
    }

    async fn later(&mut self) -> Option<Batch> {
        // Kept in mind, not on the stack: who waits may stop to wait here and come again.
        while !self.lost {
            match self.rest.recv().await {
                Ok(batch) => return Some(batch),
                Err(RecvError::Lagged(_)) => self.lost = true,
                Err(RecvError::Closed) => return None,
            }
        }
        // Too slow: the newest screen instead of all that was missed.
        let again = self.session.join_updates().await.ok()?;
        self.rest = again.rest;
        self.lost = false;
        Some(again.first)
    }
}

/// The session's end: decides what is sent when. It is told the time and shown the terminal.
#[derive(Debug)]
pub(crate) struct Updates {
    batches: Publisher<Batch, Subscribed>,
    /// What all who are up to date show; nothing where nobody is.
    shown: Option<ShownScreen>,
    /// When those who apply differences are sent the whole again.
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

    /// Adds a subscriber, which is answered with the next batch.
    pub(crate) fn join(&mut self, reply: oneshot::Sender<Subscribed>, now: Instant) {
        self.batches.join(reply, now);
    }

    /// When the next batch is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let snapshot = self.snapshot_due.filter(|_| self.any());
        [self.batches.due(), snapshot].into_iter().flatten().min()
    }

    /// Sends what changed. For when it is due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant) {
        let wanted = self.batches.begin(now);
        if self.batches.receivers() == 0 {
            // Nobody is up to date with anything.
            self.shown = None;
            self.batches.forget_whole();
            self.snapshot_due = None;
            self.rang = false;
        }
        let due = self.snapshot_due.is_some_and(|due| due <= now);
        if wanted || due {
            self.tell(vt, now, due);
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

    /// Those who are up to date.
    fn tell(&mut self, vt: &Vt, now: Instant, due: bool) {
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
        // The last words are complete: what only snapshots tell, too.
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
