//! Who may type, which questions only a person may answer, and whose window the session follows.

pub(crate) mod fit;
pub(crate) mod secret;
pub(crate) mod state;

use cotty_protocol::ApiError;

use self::state::{Keyboard, Returned};
use crate::SessionError;

/// Who may type now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// The agent.
    Agent,
    /// A person.
    Person {
        /// The name that others see.
        name: String,
        /// The viewer or client that types for the person.
        who: String,
        /// Since when, in milliseconds since the epoch.
        since_ms: u64,
        /// When it returns to the agent if nothing happens, likewise.
        ends_ms: Option<u64>,
    },
    /// Only a person, and none holds it: the program asks for a secret.
    Nobody,
}

/// The state of a session's keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyboardState {
    /// Who may type now.
    pub holder: Holder,
    /// What happened while a person held it, until the agent types again.
    pub returned: Option<Returned>,
}

/// What a person does with the keyboard, besides typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Takes it, until this many milliseconds after the last key; `None`: until it is given back.
    Take(Option<u64>),
    /// Gives it back, which completes an open hand-off request.
    Give,
    /// Releases it, which does not complete a request.
    Leave,
}

impl Keyboard {
    /// Who may type; `secret`: whether the program asks for a secret.
    pub(crate) fn state(&self, secret: impl FnOnce() -> bool) -> KeyboardState {
        let holder = match self.held() {
            Some(held) => Holder::Person {
                name: held.name.clone(),
                who: held.who.clone(),
                since_ms: held.since_ms,
                ends_ms: held.ends_ms(),
            },
            None if secret() => Holder::Nobody,
            None => Holder::Agent,
        };
        KeyboardState { holder, returned: self.returned().cloned() }
    }

    /// Refuses an agent while a person holds the keyboard.
    pub(crate) fn check(&self, person: bool, now_ms: u64) -> Result<(), SessionError> {
        match self.held() {
            Some(held) if !person => {
                let ends_in_ms = held.ends_ms().map(|end| end.saturating_sub(now_ms));
                Err(ApiError::KeyboardHeld { by: held.name.clone(), ends_in_ms }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether `who` holds it.
    pub(crate) fn is_held_by(&self, who: &str) -> bool {
        self.held().is_some_and(|held| held.who == who)
    }

    /// The viewer or client that holds it.
    pub(crate) fn holder(&self) -> Option<&str> {
        self.held().map(|held| held.who.as_str())
    }

    /// When it returns to the agent if nothing happens.
    pub(crate) fn ends_ms(&self) -> Option<u64> {
        self.held().and_then(|held| held.ends_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_may_always_type_and_an_agent_only_if_no_person_has_the_keyboard() {
        let mut keyboard = Keyboard::default();
        assert!(keyboard.check(false, 0).is_ok() && keyboard.check(true, 0).is_ok());
        keyboard.person_typed("view:1", "ann", 1, 0, 1_000);
        assert!(keyboard.check(true, 2_000).is_ok());
        match keyboard.check(false, 2_000) {
            Err(SessionError::Refused(ApiError::KeyboardHeld { by, ends_in_ms })) => {
                assert_eq!((by.as_str(), ends_in_ms), ("ann", Some(29_000)));
            }
            other => panic!("{other:?}"),
        }
        assert!(keyboard.is_held_by("view:1") && !keyboard.is_held_by("view:2"));
    }

    #[test]
    fn nobody_has_the_keyboard_if_a_secret_is_asked_for_and_no_person_took_it() {
        let mut keyboard = Keyboard::default();
        assert_eq!(keyboard.state(|| false).holder, Holder::Agent);
        assert_eq!(keyboard.state(|| true).holder, Holder::Nobody);
        keyboard.take("view:1", "ann", None, 0, 0);
        assert!(matches!(keyboard.state(|| true).holder, Holder::Person { ends_ms: None, .. }));
    }
}
