//! Whose session is whose, and which one an owner means.

use std::path::Path;
use std::time::Duration;

use cotty_protocol::ApiError;

use super::{Destroyed, Hub, State};
use crate::error::destroyed;
use crate::{Actor, ActorKind, OpenPanel, Panel, Session, SessionError};

/// The word for the session that an owner used last.
pub(super) const ACTIVE: &str = "active";

/// What a session is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To look at it. After a crash the owner's active session may be the one that it acted on before.
    Read,
    /// To do something to it.
    Act,
}

impl State {
    /// Whether the next daemon would take the same session for active: for this call if that is how it names it, else for
    /// those that come after it.
    fn is_kept(&self, owner: &str, active: Option<&str>, number: u32) -> bool {
        let meant = active.and_then(|retry_id| self.kept.meant(owner, retry_id));
        let in_front = || self.kept.of(owner).find(|&number| self.sessions.get(number).is_some());
        meant.or_else(in_front) == Some(number)
    }
}

impl Hub {
    /// The session by its id, number, window or name, or `active`, if the actor may have it: people all of them, agents their
    /// owner's. It is the owner's active one from now on, and `active` in the same request means it for ever. The keeper
    /// has that written down before this answers, unless somebody looks at a session that it names otherwise.
    pub async fn find_for(
        &self,
        reference: &str,
        actor: &Actor,
        retry_id: &str,
        purpose: Purpose,
    ) -> Result<Session, SessionError> {
        let active = (reference == ACTIVE).then_some(retry_id);
        let session = self.look_up(reference, actor, active)?;
        if actor.kind == ActorKind::Child {
            return Ok(session);
        }
        let (owner, number) = (&actor.owner, session.meta().number);
        let is_kept = {
            let mut state = self.state();
            state.front.used(owner, number);
            if let Some(retry_id) = active {
                state.front.means(owner, retry_id, number);
            }
            (active.is_none() && purpose == Purpose::Read) || state.is_kept(owner, active, number)
        };
        if !is_kept {
            self.keep_front().await?;
        }
        Ok(session)
    }

    /// The same for somebody who only watches: the owner's active session stays what it is.
    pub fn show_to(&self, reference: &str, actor: &Actor) -> Result<Session, SessionError> {
        self.look_up(reference, actor, None)
    }

    fn look_up(
        &self,
        reference: &str,
        actor: &Actor,
        retry_id: Option<&str>,
    ) -> Result<Session, SessionError> {
        let session = match reference {
            ACTIVE => self.active(actor, retry_id)?,
            _ => self.find(reference)?,
        };
        let meta = session.meta();
        if !actor.may_have(&meta.id, &meta.actor.owner) {
            let (id, owner) = (meta.id.clone(), meta.actor.owner.clone());
            return Err(ApiError::NotYours { session: id, owner }.into());
        }
        Ok(session)
    }

    /// What the sessions that the actor may have are called: their ids, and their names.
    pub fn names_for(&self, actor: &Actor) -> Vec<String> {
        let state = self.state();
        let own = state.sessions.iter().map(Session::meta).filter(|m| actor.may_have(&m.id, &m.actor.owner));
        own.flat_map(|meta| [Some(meta.id.clone()), meta.name.clone()]).flatten().collect()
    }

    /// The session that the first of these processes leads that leads one. Also an agent's whose program has ended, as long as
    /// nobody else has its process id; not a person's: by then the id may have gone round, and would raise whoever has it.
    pub async fn led_by_any(&self, pids: &[u32]) -> Option<Session> {
        let look = || {
            let state = self.state();
            pids.iter().find_map(|&pid| {
                let (session, exited) = state.sessions.by_leader(pid)?;
                let persons = session.meta().actor.kind == ActorKind::Person;
                let over = exited && (persons || Path::new(&format!("/proc/{pid}")).exists());
                (!over).then(|| session.clone())
            })
        };
        if let Some(session) = look() {
            return Some(session);
        }
        // A program may be faster than we: it runs already, and its session is still being made.
        drop(self.inner.making.lock().await);
        look()
    }

    /// What the request meant when it was made before. Else the session that the owner used last, of those that are still
    /// there, or else made last.
    fn active(&self, actor: &Actor, retry_id: Option<&str>) -> Result<Session, SessionError> {
        let state = self.state();
        if let Some(number) = retry_id.and_then(|retry_id| state.front.meant(&actor.owner, retry_id)) {
            let meant = state.sessions.get(number).cloned();
            return meant.ok_or_else(|| destroyed(number.to_string()));
        }
        let last_used = state.front.of(&actor.owner).find_map(|number| state.sessions.get(number));
        let mut owned =
            state.sessions.iter().rev().filter(|session| session.meta().actor.owner == actor.owner);
        let session = last_used.or_else(|| owned.next());
        session.cloned().ok_or_else(|| {
            SessionError::from(ApiError::SessionNotFound { session: ACTIVE.to_owned(), near: None })
        })
    }

    /// The panels of a scope, oldest first. One that was opened again after its end is there once.
    pub fn panels(&self, scope: &str) -> Vec<OpenPanel> {
        let state = self.state();
        let mut panels: Vec<OpenPanel> = Vec::new();
        for session in state.sessions.iter() {
            let Some(panel) = session.meta().panel.as_ref().filter(|panel| panel.scope == scope) else {
                continue;
            };
            panels.retain(|older| older.id != panel.id);
            let exited = state.sessions.has_exited(session.meta().number);
            panels.push(OpenPanel { id: panel.id.clone(), session: session.clone(), exited });
        }
        panels
    }

    /// The session of a panel whose program runs.
    pub(super) fn running_panel(&self, panel: &Panel) -> Option<Session> {
        let found = self.panels(&panel.scope).into_iter().find(|open| open.id == panel.id);
        found.filter(|open| !open.exited).map(|open| open.session)
    }

    /// Ends a session with everything it started, if the actor may.
    pub async fn destroy_for(
        &self,
        reference: &str,
        force: bool,
        actor: &Actor,
        retry_id: &str,
    ) -> Result<Destroyed, SessionError> {
        let id = match self.find_for(reference, actor, retry_id, Purpose::Act).await {
            Ok(session) => session.meta().id.clone(),
            // One that this very request ended already is answered the same.
            Err(SessionError::Refused(ApiError::SessionDestroyed { session: which })) => which,
            Err(error) => return Err(error),
        };
        self.destroy(&id, force, retry_id).await
    }

    /// A client of an owner is there, for as long as the answer is kept.
    pub fn present(&self, owner: &str) -> Present {
        *self.state().present.entry(owner.to_owned()).or_default() += 1;
        Present { hub: self.clone(), owner: owner.to_owned() }
    }

    pub(super) fn is_present(&self, owner: &str) -> bool {
        self.state().present.contains_key(owner)
    }
}

/// As long as this lives, a client of its owner is there.
#[derive(Debug)]
pub struct Present {
    hub: Hub,
    owner: String,
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut state = self.hub.state();
        let left = state.present.get_mut(&self.owner).map(|count| {
            *count = count.saturating_sub(1);
            *count
        });
        if left == Some(0) {
            state.present.remove(&self.owner);
            let owned = state.sessions.iter().filter(|session| session.meta().actor.owner == self.owner);
            for session in owned {
                let _ = self.hub.inner.janitor.send((session.meta().number, Duration::ZERO));
            }
        }
    }
}
