//! The keyboard changes hands: written down before it counts.

use std::time::Instant;

use cotty_protocol::ApiError;

use super::Task;
use crate::durable::journal::{KeyboardChange, RecordKind};
use crate::hub::meta::{Typist, now_ms};
use crate::keyboard::{Hold, KeyboardState};
use crate::viewers::presence::Watcher;
use crate::{ActorKind, SessionError};

impl Task {
    /// A person takes the keyboard or gives it back.
    pub(super) async fn hold(&mut self, hold: Hold, by: &Typist) -> Result<KeyboardState, SessionError> {
        if by.kind != ActorKind::Person {
            return Err(ApiError::NotAPerson.into());
        }
        self.check_lives()?;
        self.expire_keyboard();
        if matches!(hold, Hold::Give | Hold::Leave) && !self.keyboard.is_held_by(&by.who) {
            return Err(ApiError::KeyboardNotYours.into());
        }
        self.make_room().await?;
        let (who, name) = (by.who.clone(), by.name.clone());
        self.change_keyboard(match hold {
            Hold::Take(lease_ms) => KeyboardChange::Took { who, name, lease_ms },
            Hold::Give => KeyboardChange::Gave { who },
            Hold::Leave => KeyboardChange::Left { who },
        });
        Ok(self.keyboard.told(|| self.observe_now().asked_secret().is_some()))
    }

    pub(super) fn viewer_came(&mut self, watcher: Watcher) {
        let who = watcher.who.clone();
        self.viewers.came(watcher, Instant::now());
        if self.keyboard.is_held_by(&who) {
            self.change_keyboard(KeyboardChange::Came { who });
        }
    }

    pub(super) fn viewer_went(&mut self, who: &str) {
        let gone = self.viewers.went(who, Instant::now());
        if gone && self.keyboard.is_held_by(who) {
            self.change_keyboard(KeyboardChange::Vanished { who: who.to_owned() });
        }
    }

    /// Takes the keyboard back from a person whose time is over.
    pub(super) fn expire_keyboard(&mut self) {
        if self.keyboard.ends_ms().is_some_and(|end| end <= now_ms()) {
            self.change_keyboard(KeyboardChange::Expired);
        }
    }

    /// The program ended: nobody types any more, and nobody is to wait for whoever did.
    pub(super) fn end_keyboard_with_program(&mut self) {
        if let Some(who) = self.keyboard.holder().map(str::to_owned) {
            self.change_keyboard(KeyboardChange::Left { who });
        }
    }

    pub(super) fn change_keyboard(&mut self, change: KeyboardChange) {
        let at = now_ms();
        self.record_if_possible(&RecordKind::Keyboard { change, at }, at);
        if self.keyboard.held().is_none() {
            self.put_size_back();
        }
        self.viewers.changed(Instant::now());
    }

    pub(super) fn apply_keyboard(&mut self, change: &KeyboardChange, at: u64) {
        let seq = self.vt.seq();
        let keyboard = &mut self.keyboard;
        match change {
            KeyboardChange::Took { who, name, lease_ms } => keyboard.take(who, name, *lease_ms, seq, at),
            KeyboardChange::Gave { who } => {
                let by = keyboard.held().map(|held| held.name.clone());
                if keyboard.give(who, seq, at) {
                    self.handoff.keyboard_given(by, at);
                }
            }
            KeyboardChange::Vanished { who } => keyboard.vanished(who, at),
            KeyboardChange::Came { who } => keyboard.came(who),
            KeyboardChange::Left { who } => drop(keyboard.give(who, seq, at)),
            KeyboardChange::Expired => drop(keyboard.expire(seq, at)),
        }
    }
}
