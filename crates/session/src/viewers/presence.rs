//! Who is there: what viewers are told beside the screen. Newest wins, so it is no frame and nobody can miss one.

use std::sync::Arc;

use cotty_vt::{Modes, MouseMode};

use crate::Activity;
use crate::handoff::state::{HandoffOutcome, HandoffRequest};
use crate::hub::meta::{Actor, ActorKind};
use crate::keyboard::state::Keyboard;

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
pub struct HandoffNotice {
    /// Its id.
    pub id: String,
    /// The agent's name.
    pub from: String,
    /// What a person is to do.
    pub message: String,
    /// How it ended, and by whom, if it did.
    pub ended: Option<(HandoffOutcome, Option<String>)>,
}

impl From<&HandoffRequest> for HandoffNotice {
    fn from(request: &HandoffRequest) -> HandoffNotice {
        let ended = request.ended.as_ref().map(|end| (end.outcome, end.by.clone()));
        HandoffNotice {
            id: request.id.clone(),
            from: request.from.clone(),
            message: request.message.clone(),
            ended,
        }
    }
}

/// Who is there, and what a viewer's keys and mouse would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
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
    /// The newest request, open or not.
    pub handoff: Option<HandoffNotice>,
}

impl Default for Presence {
    fn default() -> Presence {
        Presence {
            holder: HeldBy::Agent,
            agent: None,
            watchers: Arc::default(),
            mouse: false,
            alternate: false,
            fitted: false,
            turned_away: None,
            handoff: None,
        }
    }
}

/// What else there is to tell, beside who watches.
pub(crate) struct Around<'a> {
    pub(crate) keyboard: &'a Keyboard,
    pub(crate) activity: &'a Activity,
    pub(crate) maker: &'a Actor,
    pub(crate) modes: &'a Modes,
    pub(crate) fitted: bool,
    pub(crate) handoff: Option<&'a HandoffRequest>,
}

/// The viewers that are there. One that connects again before its old connection is found dead is there once.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    here: Vec<(Watcher, usize)>,
    told: Arc<[Watcher]>,
    turned_away: Option<TurnedAway>,
}

impl Watchers {
    pub(crate) fn connected(&mut self, watcher: Watcher) {
        match self.here.iter_mut().find(|(here, _)| here.who == watcher.who) {
            Some((_, times)) => *times += 1,
            None => self.here.push((watcher, 1)),
        }
        self.retell();
    }

    /// Whether that was its last connection.
    pub(crate) fn disconnected(&mut self, who: &str) -> bool {
        if let Some((_, times)) = self.here.iter_mut().find(|(here, _)| here.who == who) {
            *times -= 1;
        }
        let before = self.here.len();
        self.here.retain(|(_, times)| *times > 0);
        self.retell();
        self.here.len() < before
    }

    /// Who is there, as viewers are told.
    pub(crate) fn presence(&self, around: &Around<'_>) -> Presence {
        let holder = match around.keyboard.held() {
            Some(held) => HeldBy::Person { who: held.who.clone(), name: held.name.clone() },
            None if matches!(around.activity, Activity::SecretInput | Activity::SecretSuspected) => {
                HeldBy::Nobody
            }
            None => HeldBy::Agent,
        };
        Presence {
            holder,
            agent: (around.maker.kind == ActorKind::Agent).then(|| around.maker.client.clone()),
            watchers: Arc::clone(&self.told),
            mouse: around.modes.mouse != MouseMode::Off,
            alternate: around.modes.alt_screen,
            fitted: around.fitted,
            turned_away: self.turned_away.clone(),
            handoff: around.handoff.map(HandoffNotice::from),
        }
    }

    /// An agent was not let type.
    pub(super) fn turned_away(&mut self, name: &str, secret: bool) {
        let count = self.turned_away.as_ref().map_or(0, |last| last.count) + 1;
        self.turned_away = Some(TurnedAway { count, name: name.to_owned(), secret });
    }

    fn retell(&mut self) {
        self.told = self.here.iter().map(|(watcher, _)| watcher.clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_that_connects_twice_is_there_once() {
        let watcher = |who: &str| Watcher { who: who.into(), name: who.into(), kind: "attach".into() };
        let mut watchers = Watchers::default();
        watchers.connected(watcher("a"));
        watchers.connected(watcher("b"));
        watchers.connected(watcher("a"));
        assert_eq!(watchers.told.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(!watchers.disconnected("a"), "the newer connection is still there");
        assert!(!watchers.disconnected("c"), "it never came");
        assert!(watchers.disconnected("a"));
        assert_eq!(watchers.told.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn all_viewers_learn_who_has_the_keyboard_and_who_was_refused() {
        let mut watchers = Watchers::default();
        watchers.turned_away("claude", false);
        watchers.turned_away("claude", true);
        let mut keyboard = Keyboard::default();
        let maker = Actor { kind: ActorKind::Agent, owner: "o".into(), client: "claude".into() };
        let modes = cotty_vt::Vt::new(cotty_vt::Size { cols: 10, rows: 2 }).modes();
        let presence = |keyboard: &Keyboard, activity: &Activity| {
            let around =
                Around { keyboard, activity, maker: &maker, modes: &modes, fitted: false, handoff: None };
            watchers.presence(&around)
        };
        let told = presence(&keyboard, &Activity::Prompt);
        assert_eq!((told.holder, told.agent.as_deref()), (HeldBy::Agent, Some("claude")));
        assert_eq!(told.turned_away.map(|turned| (turned.count, turned.secret)), Some((2, true)));
        assert_eq!(presence(&keyboard, &Activity::SecretSuspected).holder, HeldBy::Nobody);
        keyboard.take("view:1", "ann", None, 0, 0);
        let held = HeldBy::Person { who: "view:1".into(), name: "ann".into() };
        assert_eq!(presence(&keyboard, &Activity::SecretInput).holder, held);
    }
}
