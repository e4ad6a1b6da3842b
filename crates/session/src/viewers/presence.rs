//! Who is there: what viewers are told beside the screen. Newest wins, so it is no frame and nobody can miss one.

use std::sync::Arc;

use cotty_protocol::ApiError;
use cotty_vt::MouseMode;

use crate::handoff::state::{Plea, PleaOutcome};
use crate::hub::meta::{ActorKind, Typist};
use crate::task::Task;
use crate::{Activity, SessionError};

/// A viewer, as the others are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watcher {
    /// The same when it comes back.
    pub who: String,
    /// The person's name.
    pub name: String,
    /// What the person watches through: `attach`, `page`.
    pub kind: String,
}

/// Who has the keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldBy {
    /// The agent.
    Agent,
    /// A person.
    Person {
        /// The viewer or client that types for the person.
        who: String,
        /// As others are told.
        name: String,
    },
    /// Nobody but a person: a secret is asked for.
    Nobody,
}

/// An agent that was not let type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnedAway {
    /// How often that has happened: a new one is a new number.
    pub count: u64,
    /// The agent's name.
    pub name: String,
    /// Whether because of a secret; otherwise a person had the keyboard.
    pub secret: bool,
}

/// What an agent asks of people, as viewers are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// The agent's name.
    pub from: String,
    /// What a person is to do.
    pub message: String,
    /// How it ended, and by whom, if it did.
    pub ended: Option<(PleaOutcome, Option<String>)>,
}

impl From<&Plea> for Asked {
    fn from(plea: &Plea) -> Asked {
        let ended = plea.ended.as_ref().map(|end| (end.outcome, end.by.clone()));
        Asked { id: plea.id.clone(), from: plea.from.clone(), message: plea.message.clone(), ended }
    }
}

/// Who is there, and what a viewer's keys and mouse would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Who has the keyboard.
    pub holder: HeldBy,
    /// The agent whose session it is, where it is one's.
    pub agent: Option<String>,
    /// All viewers, in the order they came.
    pub watchers: Arc<[Watcher]>,
    /// Whether the program asked for the mouse.
    pub mouse: bool,
    /// Whether it is the alternate screen, that of full-screen programs.
    pub alternate: bool,
    /// Whether the session follows the holder's window.
    pub fitted: bool,
    /// The last agent that was not let type.
    pub turned_away: Option<TurnedAway>,
    /// The newest plea, open or not.
    pub plea: Option<Asked>,
}

impl Default for Company {
    fn default() -> Company {
        Company {
            holder: HeldBy::Agent,
            agent: None,
            watchers: Arc::default(),
            mouse: false,
            alternate: false,
            fitted: false,
            turned_away: None,
            plea: None,
        }
    }
}

/// The viewers that are there. One that connects again before its old connection is found dead is there once.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    here: Vec<(Watcher, usize)>,
    told: Arc<[Watcher]>,
    turned_away: Option<TurnedAway>,
}

impl Watchers {
    pub(crate) fn came(&mut self, watcher: Watcher) {
        match self.here.iter_mut().find(|(here, _)| here.who == watcher.who) {
            Some((_, times)) => *times += 1,
            None => self.here.push((watcher, 1)),
        }
        self.retell();
    }

    /// Whether that was its last connection.
    pub(crate) fn went(&mut self, who: &str) -> bool {
        if let Some((_, times)) = self.here.iter_mut().find(|(here, _)| here.who == who) {
            *times -= 1;
        }
        let before = self.here.len();
        self.here.retain(|(_, times)| *times > 0);
        self.retell();
        self.here.len() < before
    }

    fn retell(&mut self) {
        self.told = self.here.iter().map(|(watcher, _)| watcher.clone()).collect();
    }
}

impl Task {
    /// A viewer came.
    pub(crate) fn viewer_came(&mut self, watcher: Watcher) {
        let who = watcher.who.clone();
        self.watchers.came(watcher);
        self.viewer(who, true);
        self.viewers.changed(std::time::Instant::now());
    }

    /// A viewer went.
    pub(crate) fn viewer_went(&mut self, who: &str) {
        if self.watchers.went(who) {
            self.viewer(who.to_owned(), false);
        }
        self.viewers.changed(std::time::Instant::now());
    }

    /// Viewers are told of an agent that was not let type.
    pub(crate) fn note_refusal<T>(&mut self, by: &Typist, answer: &Result<T, SessionError>) {
        let secret = match answer {
            Err(SessionError::Refused(ApiError::KeyboardHeld { .. })) => false,
            Err(SessionError::Refused(ApiError::SecretInput { .. })) => true,
            _ => return,
        };
        if by.kind == ActorKind::Person {
            return;
        }
        let count = self.watchers.turned_away.as_ref().map_or(0, |last| last.count) + 1;
        self.watchers.turned_away = Some(TurnedAway { count, name: by.name.clone(), secret });
        self.viewers.changed(std::time::Instant::now());
    }

    pub(crate) fn company(&self, doing: &Activity) -> Company {
        let holder = match self.saved.keyboard.held() {
            Some(held) => HeldBy::Person { who: held.who.clone(), name: held.name.clone() },
            None if matches!(doing, Activity::SecretInput | Activity::SecretSuspected) => HeldBy::Nobody,
            None => HeldBy::Agent,
        };
        let (modes, maker) = (self.vt.modes(), &self.meta.actor);
        Company {
            holder,
            agent: (maker.kind == ActorKind::Agent).then(|| maker.client.clone()),
            watchers: Arc::clone(&self.watchers.told),
            mouse: modes.mouse != MouseMode::Off,
            alternate: modes.alt_screen,
            fitted: self.saved.put_back.is_some(),
            turned_away: self.watchers.turned_away.clone(),
            plea: self.saved.pleas.newest().map(Asked::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_that_connects_twice_is_there_once() {
        let watcher = |who: &str| Watcher { who: who.into(), name: who.into(), kind: "attach".into() };
        let mut watchers = Watchers::default();
        watchers.came(watcher("a"));
        watchers.came(watcher("b"));
        watchers.came(watcher("a"));
        assert_eq!(watchers.told.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(!watchers.went("a"), "the newer connection is still there");
        assert!(!watchers.went("c"), "it never came");
        assert!(watchers.went("a"));
        assert_eq!(watchers.told.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["b"]);
    }
}
