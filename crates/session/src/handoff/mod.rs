//! Hand-off requests: an agent asks a person to take over its terminal for a while.

pub(crate) mod state;

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::text::random;

use self::state::{HandoffEnd, HandoffOutcome, HandoffRequest, HandoffRequests};
use crate::durable::journal::HandoffChange;
use crate::handle::Info;
use crate::hub::meta::Typist;
use crate::request::{Reply, Request};
use crate::{ActorKind, Session, SessionError};

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// A new request.
    New {
        /// What a person should do.
        message: String,
        /// How long the request stays open.
        timeout_ms: u64,
    },
    /// The state of an earlier request, by its id.
    Again(String),
}

/// The state of a hand-off request.
#[derive(Debug, Clone)]
pub struct HandoffReply {
    /// The request.
    pub request: HandoffRequest,
    /// The session at that moment.
    pub info: Info,
    /// Its screen at that moment.
    pub screen: String,
}

/// A hand-off operation for a session's task.
pub(crate) enum HandoffAction {
    Ask {
        ask: Ask,
        by: Typist,
        retry_id: String,
        until: Instant,
        reply: Reply<Result<HandoffReply, SessionError>>,
    },
    Answer {
        request_id: String,
        declined: bool,
        note: Option<String>,
        by: Typist,
        retry_id: String,
        reply: Reply<Result<HandoffRequest, SessionError>>,
    },
    Withdraw {
        request_id: String,
        by: Typist,
        retry_id: String,
        reply: Reply<Result<HandoffRequest, SessionError>>,
    },
}

/// A caller that waits for a hand-off request to end.
#[derive(Debug)]
struct Waiter {
    id: String,
    until: Instant,
    reply: Reply<Result<HandoffReply, SessionError>>,
}

/// The hand-off requests of a session, and the callers that wait for one to end.
#[derive(Debug, Default)]
pub(crate) struct Handoff {
    requests: HandoffRequests,
    waiting: Vec<Waiter>,
}

impl Handoff {
    /// The session's requests; a checkpoint saves them.
    pub(crate) fn requests(&self) -> &HandoffRequests {
        &self.requests
    }

    /// Restores the saved requests.
    pub(crate) fn restore(&mut self, requests: HandoffRequests) {
        self.requests = requests;
    }

    /// Applies a change of a request.
    pub(crate) fn apply(&mut self, change: &HandoffChange) {
        match change {
            HandoffChange::Made(request) => self.requests.made(request.clone()),
            HandoffChange::Ended(end) => self.requests.end(end.clone()),
        }
    }

    /// Notes that a person typed.
    pub(crate) fn person_typed(&mut self, bytes: u64) {
        self.requests.person_typed(bytes);
    }

    /// Completes the open request, because its person gave the keyboard back.
    pub(crate) fn keyboard_given(&mut self, by: Option<String>, at_ms: u64) {
        let (outcome, retry_id) = (HandoffOutcome::Completed, String::new());
        self.requests.end(HandoffEnd { outcome, at_ms, by, note: None, retry_id });
    }

    /// A request, if the caller may see it.
    pub(crate) fn find(&self, id: &str, by: &Typist, now_ms: u64) -> Result<&HandoffRequest, SessionError> {
        let found = self.requests.find(id, now_ms).filter(|request| may_see(request, by));
        found.ok_or_else(|| ApiError::RequestNotFound { id: id.to_owned() }.into())
    }

    /// The hand-off request that a call made, by the call's retry id.
    pub(crate) fn made_by(&self, retry_id: &str, now_ms: u64) -> Option<&HandoffRequest> {
        self.requests.find(retry_id, now_ms)
    }

    /// A new request, unless another is open.
    pub(crate) fn make(
        &self,
        message: &str,
        timeout_ms: u64,
        by: &Typist,
        retry_id: &str,
        seq: u64,
        now_ms: u64,
    ) -> Result<HandoffRequest, SessionError> {
        let message = state::clean_message(message)?;
        if let Some(open) = self.requests.open() {
            if !may_see(open, by) {
                return Err(ApiError::OtherAsked.into());
            }
            let (id, message) = (open.id.clone(), open.message.clone());
            return Err(ApiError::AlreadyAsked { id, message }.into());
        }
        Ok(HandoffRequest {
            id: format!("req_{}", random::<8>()?),
            retry_id: retry_id.to_owned(),
            // A program in an agent's session chooses its own name.
            from: match by.kind {
                ActorKind::Child => HandoffRequest::inside(&by.name),
                ActorKind::Agent | ActorKind::Person => state::short_name(&by.name),
            },
            message,
            made_ms: now_ms,
            ends_ms: now_ms.saturating_add(timeout_ms),
            from_seq: seq,
            bytes: 0,
            ended: None,
        })
    }

    /// Adds a caller that waits for a hand-off request to end, but not longer than `until`.
    pub(crate) fn wait(
        &mut self,
        id: String,
        until: Instant,
        reply: Reply<Result<HandoffReply, SessionError>>,
    ) {
        self.waiting.push(Waiter { id, until, reply });
    }

    /// Takes out the callers whose request has ended or whose wait has timed out.
    pub(crate) fn take_finished(
        &mut self,
        now: Instant,
    ) -> Vec<(String, Reply<Result<HandoffReply, SessionError>>)> {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let open = self.requests.open().map(|request| request.id.clone());
        let waits = |waiting: &Waiter| waiting.until > now && open.as_ref() == Some(&waiting.id);
        let (on, over): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting).into_iter().partition(waits);
        self.waiting = on;
        over.into_iter().map(|waiting| (waiting.id, waiting.reply)).collect()
    }

    /// When the next wait times out.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        self.waiting.iter().map(|waiting| waiting.until).min()
    }
}

/// A program inside an agent's session may not see the agent's requests.
fn may_see(request: &HandoffRequest, by: &Typist) -> bool {
    by.kind != ActorKind::Child || request.is_from_inside()
}

impl Session {
    /// Makes a hand-off request, or continues one, and waits until it ends, at most `wait`. A retry makes no new request.
    pub async fn ask_people(
        &self,
        ask: Ask,
        wait: Duration,
        by: &Typist,
        retry_id: &str,
    ) -> Result<HandoffReply, SessionError> {
        let (by, retry_id) = (by.clone(), retry_id.to_owned());
        let until = Instant::now() + wait;
        self.ask(|reply| Request::Handoff(HandoffAction::Ask { ask, by, retry_id, until, reply })).await?
    }

    /// Completes or declines a hand-off request. A retry returns the same.
    pub async fn answer(
        &self,
        request_id: &str,
        declined: bool,
        note: Option<String>,
        by: &Typist,
        retry_id: &str,
    ) -> Result<HandoffRequest, SessionError> {
        let (request_id, by, retry_id) = (request_id.to_owned(), by.clone(), retry_id.to_owned());
        self.ask(|reply| {
            Request::Handoff(HandoffAction::Answer { request_id, declined, note, by, retry_id, reply })
        })
        .await?
    }

    /// Withdraws a request, by its id or by the retry id of the call that made it.
    pub async fn withdraw(
        &self,
        request_id: &str,
        by: &Typist,
        retry_id: &str,
    ) -> Result<HandoffRequest, SessionError> {
        let (request_id, by, retry_id) = (request_id.to_owned(), by.clone(), retry_id.to_owned());
        self.ask(|reply| Request::Handoff(HandoffAction::Withdraw { request_id, by, retry_id, reply }))
            .await?
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    fn typist(kind: ActorKind) -> Typist {
        Typist { kind, who: "w".into(), name: "claude".into() }
    }

    fn made(handoff: &mut Handoff, by: &Typist, retry_id: &str) -> Result<String, SessionError> {
        if let Some(known) = handoff.made_by(retry_id, 5_000) {
            return Ok(known.id.clone());
        }
        let request = handoff.make("log in", 1_000, by, retry_id, 7, 5_000)?;
        handoff.apply(&HandoffChange::Made(request.clone()));
        Ok(request.id)
    }

    #[test]
    fn one_request_is_open_at_a_time_and_a_retry_makes_no_second_one() {
        let (mut handoff, agent) = (Handoff::default(), typist(ActorKind::Agent));
        let id = made(&mut handoff, &agent, "r1").unwrap();
        assert_eq!(made(&mut handoff, &agent, "r1").unwrap(), id);
        let refused = made(&mut handoff, &agent, "r2");
        assert!(matches!(refused, Err(SessionError::Refused(ApiError::AlreadyAsked { .. }))));
        // A program inside may not see the agent's request.
        let inside = typist(ActorKind::Child);
        let refused = made(&mut handoff, &inside, "r3");
        assert!(matches!(refused, Err(SessionError::Refused(ApiError::OtherAsked))));
        assert!(handoff.find(&id, &inside, 5_000).is_err() && handoff.find(&id, &agent, 5_000).is_ok());
        handoff.keyboard_given(Some("ann".into()), 6_000);
        assert!(handoff.requests().open().is_none());
        let of_child = made(&mut handoff, &inside, "r4").unwrap();
        assert_eq!(handoff.find(&of_child, &inside, 6_000).unwrap().from, "a program inside (claude)");
    }

    #[test]
    fn a_waiting_caller_is_answered_when_the_request_ends_or_the_wait_times_out() {
        let (mut handoff, agent, start) = (Handoff::default(), typist(ActorKind::Agent), Instant::now());
        let at = |ms| start + Duration::from_millis(ms);
        let id = made(&mut handoff, &agent, "r1").unwrap();
        let (short, _short) = oneshot::channel();
        let (long, _long) = oneshot::channel();
        handoff.wait(id.clone(), at(10), short);
        handoff.wait(id.clone(), at(1_000), long);
        assert_eq!(handoff.wakeup(), Some(at(10)));
        assert_eq!(handoff.take_finished(at(9)).len(), 0);
        assert_eq!(handoff.take_finished(at(10)).len(), 1);
        handoff.keyboard_given(None, 6_000);
        assert_eq!(handoff.take_finished(at(11)).len(), 1);
        assert_eq!(handoff.wakeup(), None);
    }
}
