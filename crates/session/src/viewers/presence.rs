//! Who is there, which viewers learn beside the screen. Only the newest state counts, so it is not sent as a frame.

use std::sync::Arc;

use cotty_vt::{Modes, MouseMode};

use crate::Activity;
use crate::handoff::state::{HandoffOutcome, HandoffRequest};
use crate::hub::meta::{Actor, ActorKind};
use crate::keyboard::state::Keyboard;

/// A viewer, as other viewers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watcher {
    /// Its id. It stays the same when the viewer connects again.
    pub who: String,
    /// The person's name.
    pub name: String,
    /// The kind of client: `attach`, `page`.
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
        /// The person's name.
        name: String,
    },
    /// Nobody holds it, and only a person may type: the program asks for a secret.
    Nobody,
}

/// An agent whose input was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnedAway {
    /// A counter: each refusal gets a new number.
    pub count: u64,
    /// The agent's name.
    pub name: String,
    /// Whether a secret was the reason; otherwise a person held the keyboard.
    pub secret: bool,
}

/// A hand-off request, as viewers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffNotice {
    /// Its id.
    pub id: String,
    /// The agent's name.
    pub from: String,
    /// What the person should do.
    pub message: String,
    /// How it ended and who ended it, if it has ended.
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
    /// The agent that made the session, if an agent did.
    pub agent: Option<String>,
    /// All viewers, in the order in which they connected.
    pub watchers: Arc<[Watcher]>,
    /// Whether the program has mouse reporting on.
    pub mouse: bool,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// Whether the session's size follows the holder's window.
    pub fitted: bool,
    /// The last agent whose input was refused.
    pub turned_away: Option<TurnedAway>,
    /// The newest hand-off request, open or ended.
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

/// What [`Presence`] contains besides the viewers.
pub(crate) struct Around<'a> {
    pub(crate) keyboard: &'a Keyboard,
    pub(crate) activity: &'a Activity,
    pub(crate) maker: &'a Actor,
    pub(crate) modes: &'a Modes,
    pub(crate) fitted: bool,
    pub(crate) handoff: Option<&'a HandoffRequest>,
}

/// The connected viewers. A viewer that connects again before its dead connection is noticed counts once.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    /// Each viewer with the number of its connections.
    here: Vec<(Watcher, usize)>,
    list: Arc<[Watcher]>,
    turned_away: Option<TurnedAway>,
}

impl Watchers {
    pub(crate) fn connected(&mut self, watcher: Watcher) {
        match self.here.iter_mut().find(|(here, _)| here.who == watcher.who) {
            Some((_, times)) => *times += 1,
            None => self.here.push((watcher, 1)),
        }
        self.update_list();
    }

    /// Returns whether that was the viewer's last connection.
    pub(crate) fn disconnected(&mut self, who: &str) -> bool {
        if let Some((_, times)) = self.here.iter_mut().find(|(here, _)| here.who == who) {
            *times -= 1;
        }
        let before = self.here.len();
        self.here.retain(|(_, times)| *times > 0);
        self.update_list();
        self.here.len() < before
    }

    /// Who is there, for all viewers.
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
            watchers: Arc::clone(&self.list),
            mouse: around.modes.mouse != MouseMode::Off,
            alternate: around.modes.alt_screen,
            fitted: around.fitted,
            turned_away: self.turned_away.clone(),
            handoff: around.handoff.map(HandoffNotice::from),
        }
    }

    /// An agent's input was refused.
    pub(super) fn turned_away(&mut self, name: &str, secret: bool) {
        let count = self.turned_away.as_ref().map_or(0, |last| last.count) + 1;
        self.turned_away = Some(TurnedAway { count, name: name.to_owned(), secret });
    }

    fn update_list(&mut self) {
        self.list = self.here.iter().map(|(watcher, _)| watcher.clone()).collect();
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
        assert_eq!(watchers.list.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!(!watchers.disconnected("a"), "the newer connection is still there");
        assert!(!watchers.disconnected("c"), "it never connected");
        assert!(watchers.disconnected("a"));
        assert_eq!(watchers.list.iter().map(|w| w.who.as_str()).collect::<Vec<_>>(), ["b"]);
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
