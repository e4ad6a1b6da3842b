//! Makes, answers, withdraws and expires hand-off requests. Each change is recorded before it takes effect.

use std::time::Instant;

use cotty_protocol::ApiError;

use super::Task;
use crate::clock::steady_ms;
use crate::durable::journal::{HandoffChange, KeyboardChange, RecordKind};
use crate::handoff::state::{self, HandoffEnd, HandoffOutcome, HandoffRequest};
use crate::handoff::{Ask, HandoffAction, HandoffReply};
use crate::hub::meta::{Typist, now_ms};
use crate::output::views;
use crate::{ActorKind, SessionError};

impl Task {
    /// A caller may have disconnected; then its answer is dropped.
    pub(super) async fn handoff_action(&mut self, action: HandoffAction) {
        match action {
            HandoffAction::Ask { ask, by, retry_id, until, reply } => {
                match self.ask(&ask, &by, &retry_id).await {
                    Ok(id) => self.handoff.wait(id, until, reply),
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            HandoffAction::Answer { request_id, declined, note, by, retry_id, reply } => {
                let _ = reply.send(self.answer(&request_id, declined, note.as_deref(), &by, &retry_id));
            }
            HandoffAction::Withdraw { request_id, by, retry_id, reply } => {
                let _ = reply.send(self.withdraw(&request_id, &by, &retry_id));
            }
        }
    }

    /// Makes a request, or finds one. A retry finds the request that the first call made.
    async fn ask(&mut self, ask: &Ask, by: &Typist, retry_id: &str) -> Result<String, SessionError> {
        self.expire_request();
        let (message, timeout_ms) = match ask {
            Ask::Again(id) => {
                return self.handoff.find(id, by, steady_ms()).map(|request| request.id.clone());
            }
            Ask::New { message, timeout_ms } => (message, *timeout_ms),
        };
        if let Some(known) = self.handoff.made_by(retry_id, steady_ms()) {
            return Ok(known.id.clone());
        }
        self.check_not_exited()?;
        self.make_room().await?;
        let request = self.handoff.make(message, timeout_ms, by, retry_id, self.vt.seq(), steady_ms())?;
        let id = request.id.clone();
        self.change_handoff(HandoffChange::Made(request))?;
        Ok(id)
    }

    /// A person answers the open request, and gives the keyboard back if they hold it.
    fn answer(
        &mut self,
        id: &str,
        declined: bool,
        note: Option<&str>,
        by: &Typist,
        retry_id: &str,
    ) -> Result<HandoffRequest, SessionError> {
        if by.kind != ActorKind::Person {
            return Err(ApiError::NotAPerson.into());
        }
        let note = note.map(state::clean_message).transpose()?;
        let outcome = if declined { HandoffOutcome::Declined } else { HandoffOutcome::Completed };
        let request = self.end_request(id, outcome, Some(state::short_name(&by.name)), note, retry_id)?;
        if self.keyboard.is_held_by(&by.who) {
            self.change_keyboard(KeyboardChange::Gave { who: by.who.clone() });
        }
        Ok(request)
    }

    /// The agent withdraws its request.
    fn withdraw(&mut self, id: &str, by: &Typist, retry_id: &str) -> Result<HandoffRequest, SessionError> {
        self.handoff.find(id, by, steady_ms())?;
        self.end_request(id, HandoffOutcome::Cancelled, None, None, retry_id)
    }

    fn end_request(
        &mut self,
        id: &str,
        outcome: HandoffOutcome,
        by: Option<String>,
        note: Option<String>,
        retry_id: &str,
    ) -> Result<HandoffRequest, SessionError> {
        self.expire_request();
        let now = steady_ms();
        let not_found = || SessionError::from(ApiError::RequestNotFound { id: id.to_owned() });
        let request = self.handoff.requests().find(id, now).ok_or_else(not_found)?;
        match &request.ended {
            // This is a retry of the call that ended it.
            Some(end) if end.retry_id == retry_id => return Ok(request.clone()),
            Some(end) => {
                return Err(
                    ApiError::RequestEnded { id: request.id.clone(), state: end.outcome.into() }.into()
                );
            }
            None => {}
        }
        let end = HandoffEnd { outcome, at_ms: now, by, note, retry_id: retry_id.to_owned() };
        self.change_handoff(HandoffChange::Ended(end))?;
        self.handoff.requests().newest().cloned().ok_or_else(not_found)
    }

    /// Ends a hand-off request that has timed out.
    fn expire_request(&mut self) {
        if self.handoff.requests().ends_ms().is_some_and(|end| end <= steady_ms()) {
            self.end_open_request(HandoffOutcome::Timeout, None);
        }
    }

    /// Ends the open request with the program: completed if a person holds the keyboard, otherwise cancelled.
    pub(super) fn end_handoff_with_program(&mut self) {
        match self.keyboard.held().map(|held| held.name.clone()) {
            Some(name) => self.end_open_request(HandoffOutcome::Completed, Some(name)),
            None => self.end_open_request(HandoffOutcome::Cancelled, None),
        }
    }

    fn end_open_request(&mut self, outcome: HandoffOutcome, by: Option<String>) {
        if self.handoff.requests().open().is_some() {
            let end = HandoffEnd { outcome, at_ms: steady_ms(), by, note: None, retry_id: String::new() };
            let _ = self.change_handoff(HandoffChange::Ended(end));
        }
    }

    fn change_handoff(&mut self, change: HandoffChange) -> Result<(), SessionError> {
        match change {
            HandoffChange::Made(_) => self.record(&RecordKind::Handoff(change), now_ms())?,
            // If an end cannot be recorded, the next daemon detects it again.
            HandoffChange::Ended(_) => self.record_if_possible(&RecordKind::Handoff(change), now_ms()),
        }
        self.viewers.changed(Instant::now());
        Ok(())
    }

    /// Answers callers whose hand-off request has ended or whose wait has timed out.
    pub(super) fn answer_waiters(&mut self, now: Instant) {
        self.expire_request();
        for (id, reply) in self.handoff.take_finished(now) {
            let request = self.handoff.requests().find(&id, steady_ms()).cloned();
            let screen = views::screen(&self.vt, false);
            let answer = request.map(|request| HandoffReply { request, info: self.info(), screen });
            let _ = reply.send(answer.ok_or(SessionError::from(ApiError::RequestNotFound { id })));
        }
    }
}
