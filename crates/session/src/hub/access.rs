//! Which sessions an actor may access, and which one is an owner's active session.

use std::path::Path;
use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_pty::tree::Relative;

use super::{Destroyed, Hub, State};
use crate::error::destroyed;
use crate::{Actor, ActorKind, OpenPanel, Panel, Session, SessionError};

/// The word for an owner's active session.
pub(super) const ACTIVE: &str = "active";

/// What a caller wants to do with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Only read it. If the daemon dies, the session may not be the owner's active one afterwards.
    Read,
    /// Change it.
    Act,
}

impl State {
    /// Whether the next daemon would take the same session for active: for this call if it names `active`, otherwise for
    /// later calls.
    fn is_kept(&self, owner: &str, active: Option<&str>, number: u32) -> bool {
        let meant = active.and_then(|retry_id| self.kept.meant(owner, retry_id));
        let in_front = || self.kept.of(owner).find(|&number| self.sessions.get(number).is_some());
        meant.or_else(in_front) == Some(number)
    }
}

impl Hub {
    /// The session by its id, number, window, name, or as `active`, if the actor may access it: people access all sessions,
    /// agents those of their owner. It becomes the owner's active session, and `active` in a repeated request means it again.
    /// The keeper stores that before this returns, except for a read that does not name `active`.
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

    /// The same for a viewer: the owner's active session does not change.
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
        if !actor.may_access(&meta.id, &meta.actor.owner) {
            let (id, owner) = (meta.id.clone(), meta.actor.owner.clone());
            return Err(ApiError::NotYours { session: id, owner }.into());
        }
        Ok(session)
    }

    /// The ids and names of the sessions that the actor may access.
    pub fn names_for(&self, actor: &Actor) -> Vec<String> {
        let state = self.state();
        let own =
            state.sessions.iter().map(Session::meta).filter(|m| actor.may_access(&m.id, &m.actor.owner));
        own.flat_map(|meta| [Some(meta.id.clone()), meta.name.clone()]).flatten().collect()
    }

    /// The session of a process that descends from the keeper, whose ancestors are `line`: that of its subreaper. Without one
    /// it is the session whose leader comes first in the line. A session of an agent whose program has ended counts then as
    /// long as no process has the leader's id. A person's does not: a later process with that id would get a person's trust.
    pub async fn session_of(&self, line: &[Relative]) -> Option<Session> {
        let look = || {
            let state = self.state();
            let below_keeper = line.last()?;
            let held = state.sessions.by_subreaper(below_keeper.pid);
            // Another process may have the id of a subreaper that ended.
            if let Some(session) = held.filter(|session| session.meta().id == below_keeper.name) {
                return Some(session.clone());
            }
            line.iter().flat_map(|relative| [relative.pid, relative.session]).find_map(|pid| {
                let (session, exited) = state.sessions.by_leader(pid)?;
                let persons = session.meta().actor.kind == ActorKind::Person;
                let over = exited && (persons || Path::new(&format!("/proc/{pid}")).exists());
                (!over).then(|| session.clone())
            })
        };
        if let Some(session) = look() {
            return Some(session);
        }
        // The program may already run while its session is still being created.
        drop(self.inner.making.lock().await);
        look()
    }

    /// The session that an earlier call with the same retry id meant; otherwise the one that the owner used last of those
    /// that still exist; otherwise the one that it created last.
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

    /// The panels of a scope, oldest first. A panel that was opened again after its program ended is listed once.
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

    /// The session of a panel, if its program runs.
    pub(super) fn running_panel(&self, panel: &Panel) -> Option<Session> {
        let found = self.panels(&panel.scope).into_iter().find(|open| open.id == panel.id);
        found.filter(|open| !open.exited).map(|open| open.session)
    }

    /// Ends a session and everything it started, if the actor may access it.
    pub async fn destroy_for(
        &self,
        reference: &str,
        force: bool,
        actor: &Actor,
        retry_id: &str,
    ) -> Result<Destroyed, SessionError> {
        let id = match self.find_for(reference, actor, retry_id, Purpose::Act).await {
            Ok(session) => session.meta().id.clone(),
            // `destroy` answers the same if this request destroyed it before.
            Err(SessionError::Refused(ApiError::SessionDestroyed { session: which })) => which,
            Err(error) => return Err(error),
        };
        self.destroy(&id, force, retry_id).await
    }

    /// Notes that a client of an owner is connected, until the returned value is dropped.
    pub fn present(&self, owner: &str) -> Present {
        *self.state().present.entry(owner.to_owned()).or_default() += 1;
        Present { hub: self.clone(), owner: owner.to_owned() }
    }

    pub(super) fn is_present(&self, owner: &str) -> bool {
        self.state().present.contains_key(owner)
    }
}

/// A connected client of an owner, until it is dropped.
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
