//! Hand-offs: made, answered, withdrawn and given up; written down before they count.

use std::time::Instant;

use cotty_protocol::ApiError;

use super::Task;
use crate::durable::journal::{KeyboardChange, PleaChange, What};
use crate::handoff::state::{self, Plea, PleaEnd, PleaOutcome};
use crate::handoff::{Ask, PleaRequest, Pleaded};
use crate::hub::meta::{Typist, now_ms};
use crate::output::views;
use crate::{ActorKind, SessionError};

impl Task {
    /// Whoever asked may have gone; then the answer is for nobody, and that is fine.
    pub(super) async fn plead(&mut self, request: PleaRequest) {
        match request {
            PleaRequest::Ask { ask, by, request, until, reply } => {
                match self.ask(&ask, &by, &request).await {
                    Ok(id) => self.handoff.wait(id, until, reply),
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
        let (message, timeout_ms) = match ask {
            Ask::Again(id) => return self.handoff.find(id, by, now_ms()).map(|plea| plea.id.clone()),
            Ask::New { message, timeout_ms } => (message, *timeout_ms),
        };
        if let Some(known) = self.handoff.made_by(request, now_ms()) {
            return Ok(known.id.clone());
        }
        self.check_lives()?;
        self.make_room().await?;
        let plea = self.handoff.make(message, timeout_ms, by, request, self.vt.seq(), now_ms())?;
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
        if self.keyboard.is_held_by(&by.who) {
            self.change_keyboard(KeyboardChange::Gave { who: by.who.clone() });
        }
        Ok(plea)
    }

    /// The agent no longer asks.
    fn withdraw(&mut self, id: &str, by: &Typist, request: &str) -> Result<Plea, SessionError> {
        self.handoff.find(id, by, now_ms())?;
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
        let plea = self.handoff.pleas().find(id, now).ok_or_else(no_plea)?;
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
        self.handoff.pleas().newest().cloned().ok_or_else(no_plea)
    }

    /// Gives up a plea that nobody saw to in time.
    fn expire_plea(&mut self) {
        if self.handoff.pleas().ends_ms().is_some_and(|end| end <= now_ms()) {
            self.end_open_plea(PleaOutcome::Timeout, None);
        }
    }

    /// The program ended: a person who was there saw to it, or nobody can any more.
    pub(super) fn end_plea_with_program(&mut self) {
        match self.keyboard.held().map(|held| held.name.clone()) {
            Some(name) => self.end_open_plea(PleaOutcome::Completed, Some(name)),
            None => self.end_open_plea(PleaOutcome::Cancelled, None),
        }
    }

    fn end_open_plea(&mut self, outcome: PleaOutcome, by: Option<String>) {
        if self.handoff.pleas().open().is_some() {
            let end = PleaEnd { outcome, at_ms: now_ms(), by, note: None, request: String::new() };
            let _ = self.change_plea(PleaChange::Ended(end));
        }
    }

    fn change_plea(&mut self, change: PleaChange) -> Result<(), SessionError> {
        match change {
            PleaChange::Made(_) => self.record(&What::Plea(change), now_ms())?,
            // An end that cannot be written down is found again by the next daemon.
            PleaChange::Ended(_) => self.record_if_possible(&What::Plea(change), now_ms()),
        }
        self.viewers.changed(Instant::now());
        Ok(())
    }

    /// Answers whoever waits for a plea that has ended, or has waited long enough.
    pub(super) fn tell_pleading(&mut self, now: Instant) {
        self.expire_plea();
        for (id, reply) in self.handoff.waited(now) {
            let plea = self.handoff.pleas().find(&id, now_ms()).cloned();
            let screen = views::screen(&self.vt, false);
            let told = plea.map(|plea| Pleaded { plea, info: self.info(), screen });
            let _ = reply.send(told.ok_or(SessionError::from(ApiError::RequestNotFound { id })));
        }
    }
}
