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
        /// As others are told.
        name: String,
        /// The viewer or client that types for the person.
        who: String,
        /// Since when, in milliseconds since the epoch.
        since_ms: u64,
        /// When it goes back if nothing happens, likewise.
        ends_ms: Option<u64>,
    },
    /// Nobody but a person: a secret is asked for.
    Nobody,
}

/// What is known of a session's keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyboardState {
    /// Who may type now.
    pub holder: Holder,
    /// What happened while the agent did not have it, until it types again.
    pub returned: Option<Returned>,
}

/// What a person does with the keyboard, beside typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Takes it, for this long after the last key; until it is given back where there is no time.
    Take(Option<u64>),
    /// Gives it back: what was asked of people is done with that.
    Give,
    /// Goes away and lets go of it: that is not.
    Leave,
}

impl Keyboard {
    /// Who may type, as others are told; `secret`: whether a secret is asked for.
    pub(crate) fn told(&self, secret: impl FnOnce() -> bool) -> KeyboardState {
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

    /// Refuses what is not a person's where a person has the keyboard.
    pub(crate) fn check(&self, person: bool, now_ms: u64) -> Result<(), SessionError> {
        match self.held() {
            Some(held) if !person => {
                let ends_in_ms = held.ends_ms().map(|end| end.saturating_sub(now_ms));
                Err(ApiError::KeyboardHeld { by: held.name.clone(), ends_in_ms }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether this one has it.
    pub(crate) fn is_held_by(&self, who: &str) -> bool {
        self.held().is_some_and(|held| held.who == who)
    }

    /// Whoever has it.
    pub(crate) fn holder(&self) -> Option<&str> {
        self.held().map(|held| held.who.as_str())
    }

    /// When it goes back if nothing happens.
    pub(crate) fn ends_ms(&self) -> Option<u64> {
        self.held().and_then(|held| held.ends_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_may_always_type_and_an_agent_only_when_nobody_has_it() {
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
    fn nobody_has_it_where_a_secret_is_asked_for_and_no_person_came() {
        let mut keyboard = Keyboard::default();
        assert_eq!(keyboard.told(|| false).holder, Holder::Agent);
        assert_eq!(keyboard.told(|| true).holder, Holder::Nobody);
        keyboard.take("view:1", "ann", None, 0, 0);
        assert!(matches!(keyboard.told(|| true).holder, Holder::Person { ends_ms: None, .. }));
    }
}
