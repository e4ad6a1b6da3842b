//! The pleas of a session, as its task keeps them: every change is written down before it counts.

pub(crate) mod state;

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::text::random;

use crate::durable::journal::{KeyboardChange, PleaChange, Record, What};
use crate::error::exited;
use crate::handle::Info;
use crate::handoff::state::{Plea, PleaEnd, PleaOutcome};
use crate::hub::meta::{Typist, now_ms};
use crate::request::{Reply, Request};
use crate::task::Task;
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

/// A program inside an agent's session has nothing to do with what the agent asks.
fn may_know(plea: &Plea, by: &Typist) -> bool {
    by.kind != ActorKind::Child || plea.is_from_inside()
}

/// Somebody who waits for a plea to end.
#[derive(Debug)]
pub(crate) struct Pleading {
    id: String,
    pub(crate) until: Instant,
    reply: Reply<Result<Pleaded, SessionError>>,
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

impl Task {
    /// Whoever asked may have gone; then the answer is for nobody, and that is fine.
    pub(crate) async fn plead(&mut self, request: PleaRequest) {
        match request {
            PleaRequest::Ask { ask, by, request, until, reply } => {
                match self.ask(&ask, &by, &request).await {
                    Ok(id) => self.pleading.push(Pleading { id, until, reply }),
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            PleaRequest::Answer { plea, declined, note, by, request, reply } => {
                let _ = reply.send(self.answer(&plea, declined, note.as_deref(), &by, &request));
            }
            PleaRequest::Withdraw { plea, by, request, reply } => {
                let _ = reply.send(self.withdraw(&plea, &by, &request));
            }
        }
    }

    /// Makes a plea, or finds one. The same request again makes nothing and finds the same.
    async fn ask(&mut self, ask: &Ask, by: &Typist, request: &str) -> Result<String, SessionError> {
        self.expire_plea();
        let pleas = &self.saved.pleas;
        let (message, timeout_ms) = match ask {
            Ask::Again(id) => {
                return self.plea_for(id, by).map(|plea| plea.id.clone());
            }
            Ask::New { message, timeout_ms } => (message, *timeout_ms),
        };
        if let Some(known) = pleas.find(request, now_ms()) {
            return Ok(known.id.clone());
        }
        let message = state::words(message)?;
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        if let Some(open) = pleas.open() {
            if !may_know(open, by) {
                return Err(ApiError::OtherAsked.into());
            }
            let (id, message) = (open.id.clone(), open.message.clone());
            return Err(ApiError::AlreadyAsked { id, message }.into());
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let now = now_ms();
        let plea = Plea {
            id: format!("plea_{}", random::<8>()?),
            request: request.to_owned(),
            // What runs in an agent's session chooses its own name.
            from: match by.kind {
                ActorKind::Child => Plea::inside(&by.name),
                ActorKind::Agent | ActorKind::Person => state::short_name(&by.name),
            },
            message,
            made_ms: now,
            ends_ms: now.saturating_add(timeout_ms),
            from_seq: self.vt.seq(),
            bytes: 0,
            ended: None,
        };
        let id = plea.id.clone();
        self.change_plea(PleaChange::Made(plea))?;
        Ok(id)
    }

    /// A person answers the open plea, and gives the keyboard back if it was that person's.
    fn answer(
        &mut self,
        id: &str,
        declined: bool,
        note: Option<&str>,
        by: &Typist,
        request: &str,
    ) -> Result<Plea, SessionError> {
        if by.kind != ActorKind::Person {
            return Err(ApiError::NotAPerson.into());
        }
        let note = note.map(state::words).transpose()?;
        let outcome = if declined { PleaOutcome::Declined } else { PleaOutcome::Completed };
        let plea = self.end_plea(id, outcome, Some(state::short_name(&by.name)), note, request)?;
        if self.saved.keyboard.held().is_some_and(|held| held.who == by.who) {
            self.change_keyboard(KeyboardChange::Gave { who: by.who.clone() });
        }
        Ok(plea)
    }

    /// A plea, if somebody may know of it.
    fn plea_for(&self, id: &str, by: &Typist) -> Result<&Plea, SessionError> {
        let found = self.saved.pleas.find(id, now_ms()).filter(|plea| may_know(plea, by));
        found.ok_or_else(|| SessionError::from(ApiError::RequestNotFound { id: id.to_owned() }))
    }

    /// The agent no longer asks.
    fn withdraw(&mut self, id: &str, by: &Typist, request: &str) -> Result<Plea, SessionError> {
        self.plea_for(id, by)?;
        self.end_plea(id, PleaOutcome::Cancelled, None, None, request)
    }

    fn end_plea(
        &mut self,
        id: &str,
        outcome: PleaOutcome,
        by: Option<String>,
        note: Option<String>,
        request: &str,
    ) -> Result<Plea, SessionError> {
        self.expire_plea();
        let now = now_ms();
        let no_plea = || SessionError::from(ApiError::RequestNotFound { id: id.to_owned() });
        let plea = self.saved.pleas.find(id, now).ok_or_else(no_plea)?;
        match &plea.ended {
            // This very request ended it.
            Some(end) if end.request == request => return Ok(plea.clone()),
            Some(end) => {
                return Err(ApiError::RequestOver { id: plea.id.clone(), state: end.outcome.into() }.into());
            }
            None => {}
        }
        let end = PleaEnd { outcome, at_ms: now, by, note, request: request.to_owned() };
        self.change_plea(PleaChange::Ended(end))?;
        self.saved.pleas.newest().cloned().ok_or_else(no_plea)
    }

    /// Gives up a plea that nobody saw to in time.
    pub(crate) fn expire_plea(&mut self) {
        if self.saved.pleas.ends_ms().is_some_and(|end| end <= now_ms()) {
            self.end_open_plea(PleaOutcome::Timeout, None);
        }
    }

    /// The program ended: a person who was there saw to it, or nobody can any more.
    pub(crate) fn end_plea_with_program(&mut self) {
        let holder = self.saved.keyboard.held().map(|held| held.name.clone());
        match holder {
            Some(name) => self.end_open_plea(PleaOutcome::Completed, Some(name)),
            None => self.end_open_plea(PleaOutcome::Cancelled, None),
        }
    }

    fn end_open_plea(&mut self, outcome: PleaOutcome, by: Option<String>) {
        if self.saved.pleas.open().is_some() {
            let end = PleaEnd { outcome, at_ms: now_ms(), by, note: None, request: String::new() };
            let _ = self.change_plea(PleaChange::Ended(end));
        }
    }

    fn change_plea(&mut self, change: PleaChange) -> Result<(), SessionError> {
        let what = What::Plea(change);
        let written = self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() });
        // An end that cannot be written down is found again by the next daemon.
        if matches!(what, What::Plea(PleaChange::Made(_))) {
            written?;
        }
        self.apply(&what, now_ms());
        self.viewers.changed(Instant::now());
        Ok(())
    }

    pub(crate) fn apply_plea(&mut self, change: &PleaChange) {
        match change {
            PleaChange::Made(plea) => self.saved.pleas.made(plea.clone()),
            PleaChange::Ended(end) => self.saved.pleas.end(end.clone()),
        }
    }

    /// Answers whoever waits for a plea that has ended, or has waited long enough.
    pub(crate) fn tell_pleading(&mut self, now: Instant) {
        self.expire_plea();
        self.pleading.retain(|waiting| !waiting.reply.is_closed());
        if self.pleading.is_empty() {
            return;
        }
        let open = self.saved.pleas.open().map(|plea| plea.id.clone());
        let waits = |waiting: &Pleading| waiting.until > now && open.as_ref() == Some(&waiting.id);
        let (on, over): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pleading).into_iter().partition(waits);
        self.pleading = on;
        for Pleading { id, reply, .. } in over {
            let plea = self.saved.pleas.find(&id, now_ms()).cloned();
            let screen = self.vt.screen_text().trim_end_matches('\n').to_owned();
            let told = plea.map(|plea| Pleaded { plea, info: self.info(), screen });
            let _ = reply.send(told.ok_or(SessionError::from(ApiError::RequestNotFound { id })));
        }
    }
}
