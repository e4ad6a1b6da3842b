//! What an agent asks of people: to take over its terminal for a moment.

pub(crate) mod state;

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::text::random;

use self::state::{Plea, PleaEnd, PleaOutcome, Pleas};
use crate::durable::journal::PleaChange;
use crate::handle::Info;
use crate::hub::meta::Typist;
use crate::request::{Reply, Request};
use crate::{ActorKind, Session, SessionError};

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Something new.
    New {
        /// What a person is to do.
        message: String,
        /// For how long it is asked.
        timeout_ms: u64,
    },
    /// What became of an earlier plea, by its id.
    Again(String),
}

/// What became of a plea so far.
#[derive(Debug, Clone)]
pub struct Pleaded {
    /// The plea.
    pub plea: Plea,
    /// The session at that moment.
    pub info: Info,
    /// Its screen at that moment.
    pub screen: String,
}

/// What is asked of a session's task.
pub(crate) enum PleaRequest {
    Ask {
        ask: Ask,
        by: Typist,
        request: String,
        until: Instant,
        reply: Reply<Result<Pleaded, SessionError>>,
    },
    Answer {
        plea: String,
        declined: bool,
        note: Option<String>,
        by: Typist,
        request: String,
        reply: Reply<Result<Plea, SessionError>>,
    },
    Withdraw {
        plea: String,
        by: Typist,
        request: String,
        reply: Reply<Result<Plea, SessionError>>,
    },
}

/// Somebody who waits for a plea to end.
#[derive(Debug)]
struct Pleading {
    id: String,
    until: Instant,
    reply: Reply<Result<Pleaded, SessionError>>,
}

/// The pleas of a session, and who waits for one to end.
#[derive(Debug, Default)]
pub(crate) struct Handoff {
    pleas: Pleas,
    waiting: Vec<Pleading>,
}

impl Handoff {
    /// What is known of the session's pleas; this is saved.
    pub(crate) fn pleas(&self) -> &Pleas {
        &self.pleas
    }

    /// As they were saved.
    pub(crate) fn restore(&mut self, pleas: Pleas) {
        self.pleas = pleas;
    }

    /// One of them changed.
    pub(crate) fn apply(&mut self, change: &PleaChange) {
        match change {
            PleaChange::Made(plea) => self.pleas.made(plea.clone()),
            PleaChange::Ended(end) => self.pleas.end(end.clone()),
        }
    }

    /// A person typed.
    pub(crate) fn person_typed(&mut self, bytes: u64) {
        self.pleas.person_typed(bytes);
    }

    /// Whoever gives the keyboard back has done what was asked.
    pub(crate) fn keyboard_given(&mut self, by: Option<String>, at_ms: u64) {
        let (outcome, request) = (PleaOutcome::Completed, String::new());
        self.pleas.end(PleaEnd { outcome, at_ms, by, note: None, request });
    }

    /// A plea, if somebody may know of it.
    pub(crate) fn find(&self, id: &str, by: &Typist, now_ms: u64) -> Result<&Plea, SessionError> {
        let found = self.pleas.find(id, now_ms).filter(|plea| may_know(plea, by));
        found.ok_or_else(|| ApiError::RequestNotFound { id: id.to_owned() }.into())
    }

    /// The plea that a request made, if it made one.
    pub(crate) fn made_by(&self, request: &str, now_ms: u64) -> Option<&Plea> {
        self.pleas.find(request, now_ms)
    }

    /// What a request makes, if nothing else is asked.
    pub(crate) fn make(
        &self,
        message: &str,
        timeout_ms: u64,
        by: &Typist,
        request: &str,
        seq: u64,
        now_ms: u64,
    ) -> Result<Plea, SessionError> {
        let message = state::words(message)?;
        if let Some(open) = self.pleas.open() {
            if !may_know(open, by) {
                return Err(ApiError::OtherAsked.into());
            }
            let (id, message) = (open.id.clone(), open.message.clone());
            return Err(ApiError::AlreadyAsked { id, message }.into());
        }
        Ok(Plea {
            id: format!("plea_{}", random::<8>()?),
            request: request.to_owned(),
            // What runs in an agent's session chooses its own name.
            from: match by.kind {
                ActorKind::Child => Plea::inside(&by.name),
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

    /// Somebody waits for a plea to end, but not longer.
    pub(crate) fn wait(&mut self, id: String, until: Instant, reply: Reply<Result<Pleaded, SessionError>>) {
        self.waiting.push(Pleading { id, until, reply });
    }

    /// Who has waited long enough, or for a plea that has ended.
    pub(crate) fn waited(&mut self, now: Instant) -> Vec<(String, Reply<Result<Pleaded, SessionError>>)> {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let open = self.pleas.open().map(|plea| plea.id.clone());
        let waits = |waiting: &Pleading| waiting.until > now && open.as_ref() == Some(&waiting.id);
        let (on, over): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting).into_iter().partition(waits);
        self.waiting = on;
        over.into_iter().map(|waiting| (waiting.id, waiting.reply)).collect()
    }

    /// When somebody has waited long enough.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        self.waiting.iter().map(|waiting| waiting.until).min()
    }
}

/// A program inside an agent's session has nothing to do with what the agent asks.
fn may_know(plea: &Plea, by: &Typist) -> bool {
    by.kind != ActorKind::Child || plea.is_from_inside()
}

impl Session {
    /// Asks people for something, or goes on asking, and waits until that ends or for `wait`. The same request again asks
    /// nothing new.
    pub async fn ask_people(
        &self,
        ask: Ask,
        wait: Duration,
        by: &Typist,
        request: &str,
    ) -> Result<Pleaded, SessionError> {
        let (by, request) = (by.clone(), request.to_owned());
        let until = Instant::now() + wait;
        self.ask(|reply| Request::Plead(PleaRequest::Ask { ask, by, request, until, reply })).await?
    }

    /// Answers a plea: it is completed or declined. The same request again answers the same.
    pub async fn answer(
        &self,
        plea: &str,
        declined: bool,
        note: Option<String>,
        by: &Typist,
        request: &str,
    ) -> Result<Plea, SessionError> {
        let (plea, by, request) = (plea.to_owned(), by.clone(), request.to_owned());
        self.ask(|reply| Request::Plead(PleaRequest::Answer { plea, declined, note, by, request, reply }))
            .await?
    }

    /// Withdraws a plea, by its id or by the request that made it.
    pub async fn withdraw(&self, plea: &str, by: &Typist, request: &str) -> Result<Plea, SessionError> {
        let (plea, by, request) = (plea.to_owned(), by.clone(), request.to_owned());
        self.ask(|reply| Request::Plead(PleaRequest::Withdraw { plea, by, request, reply })).await?
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    fn typist(kind: ActorKind) -> Typist {
        Typist { kind, who: "w".into(), name: "claude".into() }
    }

    fn made(handoff: &mut Handoff, by: &Typist, request: &str) -> Result<String, SessionError> {
        if let Some(known) = handoff.made_by(request, 5_000) {
            return Ok(known.id.clone());
        }
        let plea = handoff.make("log in", 1_000, by, request, 7, 5_000)?;
        handoff.apply(&PleaChange::Made(plea.clone()));
        Ok(plea.id)
    }

    #[test]
    fn one_is_made_at_a_time_and_by_a_request_once() {
        let (mut handoff, agent) = (Handoff::default(), typist(ActorKind::Agent));
        let id = made(&mut handoff, &agent, "r1").unwrap();
        assert_eq!(made(&mut handoff, &agent, "r1").unwrap(), id);
        let refused = made(&mut handoff, &agent, "r2");
        assert!(matches!(refused, Err(SessionError::Refused(ApiError::AlreadyAsked { .. }))));
        // What runs inside is not told what the agent asks.
        let inside = typist(ActorKind::Child);
        let refused = made(&mut handoff, &inside, "r3");
        assert!(matches!(refused, Err(SessionError::Refused(ApiError::OtherAsked))));
        assert!(handoff.find(&id, &inside, 5_000).is_err() && handoff.find(&id, &agent, 5_000).is_ok());
        handoff.keyboard_given(Some("ann".into()), 6_000);
        assert!(handoff.pleas().open().is_none());
        let of_child = made(&mut handoff, &inside, "r4").unwrap();
        assert_eq!(handoff.find(&of_child, &inside, 6_000).unwrap().from, "a program inside (claude)");
    }

    #[test]
    fn who_waits_is_answered_when_it_ends_or_the_time_is_up() {
        let (mut handoff, agent, start) = (Handoff::default(), typist(ActorKind::Agent), Instant::now());
        let at = |ms| start + Duration::from_millis(ms);
        let id = made(&mut handoff, &agent, "r1").unwrap();
        let (short, _short) = oneshot::channel();
        let (long, _long) = oneshot::channel();
        handoff.wait(id.clone(), at(10), short);
        handoff.wait(id.clone(), at(1_000), long);
        assert_eq!(handoff.wakeup(), Some(at(10)));
        assert_eq!(handoff.waited(at(9)).len(), 0);
        assert_eq!(handoff.waited(at(10)).len(), 1);
        handoff.keyboard_given(None, 6_000);
        assert_eq!(handoff.waited(at(11)).len(), 1);
        assert_eq!(handoff.wakeup(), None);
    }
}
