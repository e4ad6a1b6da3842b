//! Sends a session's screen to all receivers. Each message is made once, and no more often than the pace allows.

use std::time::Instant;

use tokio::sync::{broadcast, oneshot};

use super::pace::{BEHIND, Pace};

/// Sends messages `M`. A client that joins is answered with a `J`.
#[derive(Debug)]
pub(super) struct Publisher<M, J> {
    messages: broadcast::Sender<M>,
    /// Clients that wait to join with the next message.
    joining: Vec<oneshot::Sender<J>>,
    /// The whole screen, for clients that join before it changes again.
    whole: Option<M>,
    pace: Pace,
}

impl<M: Clone, J> Publisher<M, J> {
    pub(super) fn new() -> Publisher<M, J> {
        let (messages, _) = broadcast::channel(BEHIND);
        Publisher { messages, joining: Vec::new(), whole: None, pace: Pace::default() }
    }

    /// The number of receivers.
    pub(super) fn receivers(&self) -> usize {
        self.messages.receiver_count()
    }

    /// Whether there are receivers or clients that wait to join.
    pub(super) fn any(&self) -> bool {
        self.receivers() > 0 || !self.joining.is_empty()
    }

    /// Something may have changed.
    pub(super) fn want(&mut self, now: Instant) {
        if self.any() {
            self.pace.want(now);
        }
    }

    /// Adds a client. It is answered when the next message is due, so any number of clients that join at once, or join
    /// again because they were too slow, cost the session one whole screen.
    pub(super) fn join(&mut self, reply: oneshot::Sender<J>, now: Instant) {
        self.joining.push(reply);
        self.pace.want(now);
    }

    /// When the next message is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.pace.due().filter(|_| self.any())
    }

    /// Notes that a message is made now. Returns whether one was due.
    pub(super) fn begin(&mut self, now: Instant) -> bool {
        self.pace.draw(now, self.receivers())
    }

    /// Drops the stored whole screen, because the screen has changed.
    pub(super) fn forget_whole(&mut self) {
        self.whole = None;
    }

    pub(super) fn send(&self, message: M) {
        // The last receiver may have left.
        let _ = self.messages.send(message);
    }

    /// Answers the waiting clients with the whole screen and a receiver for later messages.
    pub(super) fn welcome(
        &mut self,
        whole: impl FnOnce() -> M,
        joined: impl Fn(M, broadcast::Receiver<M>) -> J,
    ) {
        self.joining.retain(|reply| !reply.is_closed());
        if self.joining.is_empty() {
            return;
        }
        let whole = self.whole.get_or_insert_with(whole);
        for reply in self.joining.drain(..) {
            let _ = reply.send(joined(whole.clone(), self.messages.subscribe()));
        }
    }
}
