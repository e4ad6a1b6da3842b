//! Changes the keyboard's holder. Each change is recorded before it takes effect.

use std::time::Instant;

use cotty_protocol::ApiError;

use super::Task;
use crate::clock::steady_ms;
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
        self.check_not_exited()?;
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
        Ok(self.keyboard.state(|| self.observe_now().asked_secret().is_some()))
    }

    pub(super) fn viewer_connected(&mut self, watcher: Watcher) {
        let who = watcher.who.clone();
        self.viewers.connected(watcher, Instant::now());
        if self.keyboard.is_held_by(&who) {
            self.change_keyboard(KeyboardChange::Came { who });
        }
    }

    pub(super) fn viewer_disconnected(&mut self, who: &str) {
        let gone = self.viewers.disconnected(who, Instant::now());
        if gone && self.keyboard.is_held_by(who) {
            self.change_keyboard(KeyboardChange::Vanished { who: who.to_owned() });
        }
    }

    /// Takes the keyboard back from a person whose time has run out.
    pub(super) fn expire_keyboard(&mut self) {
        if self.keyboard.ends_ms().is_some_and(|end| end <= steady_ms()) {
            self.change_keyboard(KeyboardChange::Expired);
        }
    }

    /// Releases the keyboard when the program ends, so that no caller waits for its holder.
    pub(super) fn end_keyboard_with_program(&mut self) {
        if let Some(who) = self.keyboard.holder().map(str::to_owned) {
            self.change_keyboard(KeyboardChange::Left { who });
        }
    }

    pub(super) fn change_keyboard(&mut self, change: KeyboardChange) {
        self.record_if_possible(&RecordKind::Keyboard { change, at: steady_ms() }, now_ms());
        if self.keyboard.held().is_none() {
            self.restore_size();
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
            KeyboardChange::Came { who } => keyboard.connected(who),
            KeyboardChange::Left { who } => drop(keyboard.give(who, seq, at)),
            KeyboardChange::Expired => drop(keyboard.expire(seq, at)),
        }
    }
}
