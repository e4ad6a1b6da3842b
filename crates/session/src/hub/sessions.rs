//! The hub's sessions, with indexes that make every lookup fast.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use tokio::sync::watch;

use crate::{Meta, Session};

/// The sessions by number, oldest first.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: BTreeMap<u32, Session>,
    /// Sessions whose program has ended. Limits do not count them.
    exited: HashSet<u32>,
    /// Numbers by id, by name, and by the owner and retry id that created the session.
    ids: HashMap<String, u32>,
    names: HashMap<String, u32>,
    requests: HashMap<(String, String), u32>,
    /// Numbers by the process that leads the session, and by its subreaper.
    leaders: HashMap<u32, u32>,
    subreapers: HashMap<u32, u32>,
    /// How many live sessions each owner has.
    live: HashMap<String, usize>,
    /// When a session was last added or removed.
    changed: watch::Sender<Option<Instant>>,
}

impl Sessions {
    pub(super) fn insert(&mut self, session: Session, pid: u32, subreaper: Option<u32>) {
        let meta = session.meta();
        if pid > 0 {
            self.leaders.insert(pid, meta.number);
        }
        if let Some(subreaper) = subreaper {
            self.subreapers.insert(subreaper, meta.number);
        }
        self.ids.insert(meta.id.clone(), meta.number);
        self.requests.insert(retry_id_of(meta), meta.number);
        if let Some(name) = &meta.name {
            self.names.insert(name.clone(), meta.number);
        }
        *self.live.entry(meta.actor.owner.clone()).or_default() += 1;
        self.all.insert(meta.number, session);
        self.changed.send_replace(Some(Instant::now()));
    }

    /// When a session was last added or removed, and a notification of each later change.
    pub(super) fn changes(&self) -> watch::Receiver<Option<Instant>> {
        self.changed.subscribe()
    }

    pub(super) fn remove(&mut self, number: u32) {
        self.exit(number);
        self.exited.remove(&number);
        self.leaders.retain(|_, led| *led != number);
        self.subreapers.retain(|_, held| *held != number);
        let Some(session) = self.all.remove(&number) else { return };
        let meta = session.meta();
        self.ids.remove(&meta.id);
        self.requests.remove(&retry_id_of(meta));
        if let Some(name) = &meta.name {
            self.names.remove(name);
        }
        self.changed.send_replace(Some(Instant::now()));
    }

    /// Notes that a session's program has ended.
    pub(super) fn exit(&mut self, number: u32) {
        let Some(session) = self.all.get(&number) else { return };
        if !self.exited.insert(number) {
            return;
        }
        let owner = &session.meta().actor.owner;
        if let Some(live) = self.live.get_mut(owner) {
            *live -= 1;
            if *live == 0 {
                self.live.remove(owner);
            }
        }
    }

    pub(super) fn get(&self, number: u32) -> Option<&Session> {
        self.all.get(&number)
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&Session> {
        self.ids.get(id).and_then(|number| self.all.get(number))
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&Session> {
        self.names.get(name).and_then(|number| self.all.get(number))
    }

    /// The session that this process leads or led, and whether its program has ended.
    pub(super) fn by_leader(&self, pid: u32) -> Option<(&Session, bool)> {
        let number = self.leaders.get(&pid)?;
        Some((self.all.get(number)?, self.exited.contains(number)))
    }

    /// The session of this subreaper.
    pub(super) fn by_subreaper(&self, pid: u32) -> Option<&Session> {
        self.all.get(self.subreapers.get(&pid)?)
    }

    /// The subreaper of this session.
    pub(super) fn subreaper_of(&self, number: u32) -> Option<u32> {
        self.subreapers.iter().find(|(_, held)| **held == number).map(|(pid, _)| *pid)
    }

    pub(super) fn by_retry_id(&self, owner: &str, retry_id: &str) -> Option<&Session> {
        self.requests.get(&(owner.to_owned(), retry_id.to_owned())).and_then(|number| self.all.get(number))
    }

    /// The session by its id, number, window or name.
    pub(super) fn find(&self, reference: &str) -> Option<&Session> {
        let number = number_of(reference);
        let numbered = || number.and_then(|number| self.all.get(&number));
        self.by_id(reference).or_else(numbered).or_else(|| self.by_name(reference))
    }

    /// Whether a session's program has ended.
    pub(super) fn has_exited(&self, number: u32) -> bool {
        self.exited.contains(&number)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.all.values()
    }

    pub(super) fn live_of(&self, owner: &str) -> usize {
        self.live.get(owner).copied().unwrap_or(0)
    }

    /// How many sessions are live, and how many have exited.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.all.len() - self.exited.len(), self.exited.len())
    }
}

/// The number in a reference: `3` or `win_3`.
pub(super) fn number_of(reference: &str) -> Option<u32> {
    reference.parse().ok().or_else(|| window(reference))
}

/// The number in the name of a window: `win_3`.
pub(super) fn window(reference: &str) -> Option<u32> {
    let digits = reference.strip_prefix("win_")?;
    digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// With the owner, because two owners may use the same id.
fn retry_id_of(meta: &Meta) -> (String, String) {
    (meta.actor.owner.clone(), meta.retry_id.clone())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Actor, ActorKind, Meta};

    fn session(number: u32, name: Option<&str>, owner: &str) -> Session {
        let meta = Meta {
            id: format!("sess_{number}"),
            number,
            name: name.map(str::to_owned),
            actor: Actor { kind: ActorKind::Agent, owner: owner.into(), client: "test".into() },
            retry_id: format!("request {number}"),
            ..Meta::default()
        };
        Session::new(Arc::new(meta), tokio::sync::mpsc::channel(1).0)
    }

    #[test]
    fn a_session_is_found_by_all_its_names_until_it_is_gone() {
        let mut sessions = Sessions::default();
        sessions.insert(session(1, Some("build"), "a"), 101, Some(91));
        sessions.insert(session(2, None, "a"), 102, None);
        sessions.insert(session(3, None, "b"), 103, Some(93));
        assert_eq!(sessions.by_subreaper(93).unwrap().meta().number, 3);
        assert_eq!([1, 2, 3].map(|number| sessions.subreaper_of(number)), [Some(91), None, Some(93)]);
        for reference in ["1", "build", "sess_1", "win_1"] {
            assert_eq!(sessions.find(reference).unwrap().meta().number, 1);
        }
        assert_eq!(sessions.by_retry_id("b", "request 3").unwrap().meta().number, 3);
        assert!(sessions.by_retry_id("a", "request 3").is_none(), "another owner's");
        assert_eq!((sessions.live_of("a"), sessions.live_of("b"), sessions.count()), (2, 1, (3, 0)));
        // A second exit changes nothing.
        sessions.exit(1);
        sessions.exit(1);
        assert_eq!((sessions.live_of("a"), sessions.count()), (1, (2, 1)));
        let led =
            |sessions: &Sessions, pid| sessions.by_leader(pid).map(|(s, exited)| (s.meta().number, exited));
        assert_eq!([101, 102, 104].map(|pid| led(&sessions, pid)), [Some((1, true)), Some((2, false)), None]);
        sessions.remove(1);
        sessions.remove(1);
        assert!(
            sessions.find("1").is_none()
                && sessions.find("build").is_none()
                && sessions.find("sess_1").is_none()
                && led(&sessions, 101).is_none()
                && sessions.by_subreaper(91).is_none()
        );
        assert_eq!((sessions.live_of("a"), sessions.count()), (1, (2, 0)));
        sessions.remove(2);
        assert_eq!((sessions.live_of("a"), sessions.count()), (0, (1, 0)));
    }
}
