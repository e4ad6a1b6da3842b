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
use crate::viewers::pace::{BEHIND, Pace, Shared};
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
    batches: broadcast::Sender<Batch>,
    /// Who wants to subscribe, until the next batch.
    joining: Vec<oneshot::Sender<Subscribed>>,
    /// What all who are up to date show; nothing where nobody is.
    shown: Option<ShownScreen>,
    /// The snapshot for those who join before the screen changes again.
    first: Option<Batch>,
    pace: Pace,
    /// When those who apply differences are sent the whole again.
    snapshot_due: Option<Instant>,
    rang: bool,
    ended: Option<Ended>,
}

impl Updates {
    pub(crate) fn new() -> Updates {
        let (batches, _) = broadcast::channel(BEHIND);
        Updates {
            batches,
            joining: Vec::new(),
            shown: None,
            first: None,
            pace: Pace::default(),
            snapshot_due: None,
            rang: false,
            ended: None,
        }
    }

    pub(crate) fn any(&self) -> bool {
        self.batches.receiver_count() > 0 || !self.joining.is_empty()
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        if self.any() {
            self.pace.want(now);
        }
    }

    /// The bell rang.
    pub(crate) fn bell(&mut self, now: Instant) {
        self.rang = self.any();
        self.changed(now);
    }

    /// The program ended.
    pub(crate) fn ended(&mut self, ended: Ended, now: Instant) {
        if self.ended.replace(ended).is_none() {
            self.first = None;
            self.changed(now);
        }
    }

    /// Somebody subscribes, and is answered when the next batch is due: so any number who come at once, or come again
    /// because they were too slow, cost the terminal one snapshot.
    pub(crate) fn join(&mut self, reply: oneshot::Sender<Subscribed>, now: Instant) {
        self.joining.push(reply);
        self.pace.want(now);
    }

    /// When the next batch is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        if !self.any() {
            return None;
        }
        [self.pace.due(), self.snapshot_due].into_iter().flatten().min()
    }

    /// Sends what changed. For when it is due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant) {
        let wanted = self.pace.draw(now, self.batches.receiver_count());
        if self.batches.receiver_count() == 0 {
            // Nobody is up to date with anything.
            self.shown = None;
            self.first = None;
            self.snapshot_due = None;
            self.rang = false;
        }
        let due = self.snapshot_due.is_some_and(|due| due <= now);
        if wanted || due {
            self.tell(vt, now, due);
        }
        self.welcome(vt);
    }

    /// Those who are up to date.
    fn tell(&mut self, vt: &Vt, now: Instant, due: bool) {
        let Some(shown) = &mut self.shown else { return };
        let (mut out, whole) = match shown.advance(vt) {
            Step::Same => (Vec::new(), due),
            Step::Updates(updates) => {
                self.first = None;
                self.snapshot_due.get_or_insert(now + SNAPSHOTS);
                (updates, due)
            }
            Step::Resized => {
                self.first = None;
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
            // Nobody may be left to hear it.
            let _ = self.batches.send(batch(out));
        }
    }

    /// Those who are new.
    fn welcome(&mut self, vt: &Vt) {
        self.joining.retain(|reply| !reply.is_closed());
        if self.joining.is_empty() {
            return;
        }
        let shown = self.shown.get_or_insert_with(|| ShownScreen::of(vt));
        let first = self.first.get_or_insert_with(|| {
            let mut out = vec![Update::Snapshot(shown.snapshot.clone())];
            out.extend(self.ended.map(Update::Exited));
            batch(out)
        });
        for reply in self.joining.drain(..) {
            let _ = reply.send(Subscribed { first: Arc::clone(first), rest: self.batches.subscribe() });
        }
    }
}

fn batch(updates: Vec<Update>) -> Batch {
    updates.into_iter().map(Shared::new).collect()
}
