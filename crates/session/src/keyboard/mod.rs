//! The keyboard of a session, as its task keeps it: every change is written down before it counts.

pub(crate) mod secret;
pub(crate) mod size;
pub(crate) mod state;

use cotty_protocol::ApiError;

use crate::durable::journal::{KeyboardChange, Record, What};
use crate::error::exited;
use crate::handoff::state::{PleaEnd, PleaOutcome};
use crate::hub::meta::{Typist, now_ms};
use crate::keyboard::state::Returned;
use crate::task::Task;
use crate::{ActorKind, SessionError};

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

impl Task {
    pub(crate) fn keyboard(&self) -> KeyboardState {
        let holder = match self.saved.keyboard.held() {
            Some(held) => Holder::Person {
                name: held.name.clone(),
                who: held.who.clone(),
                since_ms: held.since_ms,
                ends_ms: held.ends_ms(),
            },
            None if self.asked_secret().is_some() => Holder::Nobody,
            None => Holder::Agent,
        };
        KeyboardState { holder, returned: self.saved.keyboard.returned().cloned() }
    }

    /// A person takes the keyboard or gives it back.
    pub(crate) async fn hold(&mut self, hold: Hold, by: &Typist) -> Result<KeyboardState, SessionError> {
        if by.kind != ActorKind::Person {
            return Err(ApiError::NotAPerson.into());
        }
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        self.expire_keyboard();
        let gives = matches!(hold, Hold::Give | Hold::Leave);
        if gives && self.saved.keyboard.held().is_none_or(|held| held.who != by.who) {
            return Err(ApiError::KeyboardNotYours.into());
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let (who, name) = (by.who.clone(), by.name.clone());
        self.change_keyboard(match hold {
            Hold::Take(lease_ms) => KeyboardChange::Took { who, name, lease_ms },
            Hold::Give => KeyboardChange::Gave { who },
            Hold::Leave => KeyboardChange::Left { who },
        });
        Ok(self.keyboard())
    }

    /// A viewer came or went.
    pub(crate) fn viewer(&mut self, who: String, here: bool) {
        if self.saved.keyboard.held().is_some_and(|held| held.who == who) {
            self.change_keyboard(match here {
                true => KeyboardChange::Came { who },
                false => KeyboardChange::Vanished { who },
            });
        }
    }

    /// Takes the keyboard back from a person whose time is over.
    pub(crate) fn expire_keyboard(&mut self) {
        if self.keyboard_ends_ms().is_some_and(|end| end <= now_ms()) {
            self.change_keyboard(KeyboardChange::Expired);
        }
    }

    /// The program ended: nobody types any more, and nobody is to wait for whoever did.
    pub(crate) fn end_keyboard_with_program(&mut self) {
        if let Some(who) = self.saved.keyboard.held().map(|held| held.who.clone()) {
            self.change_keyboard(KeyboardChange::Left { who });
        }
    }

    pub(crate) fn keyboard_ends_ms(&self) -> Option<u64> {
        self.saved.keyboard.held().and_then(|held| held.ends_ms())
    }

    pub(crate) fn change_keyboard(&mut self, change: KeyboardChange) {
        let what = What::Keyboard { change, at: now_ms() };
        // Where it cannot be written down the next daemon would not know it; that is all.
        let _ = self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() });
        self.apply(&what, now_ms());
        if self.saved.keyboard.held().is_none() {
            self.put_size_back();
        }
        self.viewers.changed(std::time::Instant::now());
    }

    pub(crate) fn apply_keyboard(&mut self, change: &KeyboardChange, at: u64) {
        let seq = self.vt.seq();
        let keyboard = &mut self.saved.keyboard;
        match change {
            KeyboardChange::Took { who, name, lease_ms } => keyboard.take(who, name, *lease_ms, seq, at),
            KeyboardChange::Gave { who } => {
                let by = keyboard.held().map(|held| held.name.clone());
                // Whoever gives it back has done what was asked.
                if keyboard.give(who, seq, at) {
                    let (outcome, request) = (PleaOutcome::Completed, String::new());
                    self.saved.pleas.end(PleaEnd { outcome, at_ms: at, by, note: None, request });
                }
            }
            KeyboardChange::Vanished { who } => keyboard.vanished(who, at),
            KeyboardChange::Came { who } => keyboard.came(who),
            KeyboardChange::Left { who } => drop(keyboard.give(who, seq, at)),
            KeyboardChange::Expired => drop(keyboard.expire(seq, at)),
        }
    }
}
