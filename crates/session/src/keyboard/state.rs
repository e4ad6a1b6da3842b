//! Who may type. Pure: callers report keys, viewers that connect and disconnect, and the time. Part of a session's saved
//! state, so that a new daemon knows the same holder.
//!
//! The agent has the keyboard unless a person takes it, and a person always can: by typing or by asking for it. It returns to
//! the agent when the person gives it back, some time after the last key, or after the person's viewer has disconnected.

use serde::{Deserialize, Serialize};

/// How long after the last key a person keeps it who took it by typing.
const LEASE_MS: u64 = 30_000;
/// How long it is kept for a viewer that disconnected: a page may reload, a network may fail briefly.
const GRACE_MS: u64 = 10_000;

/// Who has the keyboard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keyboard {
    held: Option<KeyboardHold>,
    returned: Option<Returned>,
}

/// A person who holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyboardHold {
    /// The viewer or client that types for the person.
    pub(crate) who: String,
    /// The name that agents and other people see.
    pub(crate) name: String,
    pub(crate) since_ms: u64,
    /// The seq when it was taken.
    from_seq: u64,
    /// Bytes that the person typed.
    bytes: u64,
    last_key_ms: u64,
    /// `None`: until it is given back.
    lease_ms: Option<u64>,
    vanished_ms: Option<u64>,
}

impl KeyboardHold {
    /// When it returns to the agent if nothing happens.
    pub(crate) fn ends_ms(&self) -> Option<u64> {
        let lease = self.lease_ms.map(|lease| self.last_key_ms.saturating_add(lease));
        let grace = self.vanished_ms.map(|at| at.saturating_add(GRACE_MS));
        [lease, grace].into_iter().flatten().min()
    }
}

/// What happened while a person held the keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Who held it.
    pub by: String,
    /// For how long.
    pub held_ms: u64,
    /// How many bytes that person typed.
    pub bytes: u64,
    /// The output meanwhile: from this seq …
    pub from_seq: u64,
    /// … to this seq.
    pub to_seq: u64,
}

impl Keyboard {
    /// The person who holds it; `None`: the agent has it.
    pub(crate) fn held(&self) -> Option<&KeyboardHold> {
        self.held.as_ref()
    }

    /// What happened while a person held it, if the agent was not told yet.
    pub(crate) fn returned(&self) -> Option<&Returned> {
        self.returned.as_ref()
    }

    /// A person typed, and so takes it from any other holder.
    pub(crate) fn person_typed(&mut self, who: &str, name: &str, bytes: u64, seq: u64, now: u64) {
        let held = self.take_for(who, name, Some(LEASE_MS), seq, now);
        held.bytes += bytes;
    }

    /// A person asked for it, until `lease_ms` after the last key, or until it is given back.
    pub(crate) fn take(&mut self, who: &str, name: &str, lease_ms: Option<u64>, seq: u64, now: u64) {
        self.take_for(who, name, lease_ms, seq, now).lease_ms = lease_ms;
    }

    fn take_for(
        &mut self,
        who: &str,
        name: &str,
        lease_ms: Option<u64>,
        seq: u64,
        now: u64,
    ) -> &mut KeyboardHold {
        // If one person takes it from another, the agent gets one report about both.
        let before = self.held.take();
        let first = before.as_ref().map(|held| (held.since_ms, held.from_seq, held.bytes));
        let (since_ms, from_seq, bytes) = first.unwrap_or((now, seq, 0));
        let lease_ms = before.filter(|held| held.who == who).map_or(lease_ms, |held| held.lease_ms);
        self.held.insert(KeyboardHold {
            who: who.to_owned(),
            name: name.to_owned(),
            since_ms,
            from_seq,
            bytes,
            last_key_ms: now,
            lease_ms,
            vanished_ms: None,
        })
    }

    /// Gives it back; false if `who` does not hold it.
    pub(crate) fn give(&mut self, who: &str, seq: u64, now: u64) -> bool {
        let holds = self.held.as_ref().is_some_and(|held| held.who == who);
        if holds {
            self.release(seq, now);
        }
        holds
    }

    /// A viewer disconnected.
    pub(crate) fn vanished(&mut self, who: &str, now: u64) {
        if let Some(held) = self.held.as_mut().filter(|held| held.who == who) {
            held.vanished_ms.get_or_insert(now);
        }
    }

    /// A viewer connected, perhaps again.
    pub(crate) fn connected(&mut self, who: &str) {
        if let Some(held) = self.held.as_mut().filter(|held| held.who == who) {
            held.vanished_ms = None;
        }
    }

    /// Takes it back from a person whose time has run out; returns whether it did.
    pub(crate) fn expire(&mut self, seq: u64, now: u64) -> bool {
        let over = self.held.as_ref().and_then(KeyboardHold::ends_ms).is_some_and(|end| end <= now);
        if over {
            self.release(seq, now);
        }
        over
    }

    fn release(&mut self, seq: u64, now: u64) {
        let Some(held) = self.held.take() else { return };
        // Several holds before the agent types again are reported as one.
        let before = self.returned.take();
        self.returned = Some(Returned {
            by: held.name,
            held_ms: now.saturating_sub(held.since_ms) + before.as_ref().map_or(0, |b| b.held_ms),
            bytes: held.bytes + before.as_ref().map_or(0, |b| b.bytes),
            from_seq: before.as_ref().map_or(held.from_seq, |b| b.from_seq),
            to_seq: seq,
        });
    }

    /// The agent typed, and so has been told what happened.
    pub(crate) fn agent_typed(&mut self) {
        self.returned = None;
    }
}

#[cfg(test)]
impl Keyboard {
    /// Something in every field.
    pub(crate) fn filled() -> Keyboard {
        let held = KeyboardHold {
            who: "view:1".into(),
            name: "attach".into(),
            since_ms: 1,
            from_seq: 2,
            bytes: 3,
            last_key_ms: 4,
            lease_ms: Some(5),
            vanished_ms: Some(6),
        };
        let returned = Returned { by: "page".into(), held_ms: 7, bytes: 8, from_seq: 9, to_seq: 10 };
        Keyboard { held: Some(held), returned: Some(returned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(now: u64) -> Keyboard {
        let mut keyboard = Keyboard::default();
        keyboard.person_typed("v1", "attach", 3, 100, now);
        keyboard
    }

    #[test]
    fn typing_takes_the_keyboard_for_a_while_after_the_last_key() {
        let mut keyboard = typing(1_000);
        assert_eq!(keyboard.held().map(|held| held.name.as_str()), Some("attach"));
        assert_eq!(keyboard.held().and_then(KeyboardHold::ends_ms), Some(31_000));
        keyboard.person_typed("v1", "attach", 2, 150, 20_000);
        assert!(!keyboard.expire(200, 49_999));
        assert!(keyboard.expire(200, 50_000));
        assert_eq!(keyboard.held(), None);
        let returned =
            Returned { by: "attach".into(), held_ms: 49_000, bytes: 5, from_seq: 100, to_seq: 200 };
        assert_eq!(keyboard.returned(), Some(&returned));
        keyboard.agent_typed();
        assert_eq!(keyboard.returned(), None);
    }

    #[test]
    fn asking_for_the_keyboard_keeps_it_until_it_is_given_back() {
        let mut keyboard = Keyboard::default();
        keyboard.take("v1", "page", None, 0, 0);
        keyboard.person_typed("v1", "page", 1, 0, 5);
        assert_eq!(keyboard.held().and_then(KeyboardHold::ends_ms), None);
        assert!(!keyboard.expire(0, u64::MAX));
        assert!(!keyboard.give("v2", 0, 10), "only the holder can give it back");
        assert!(keyboard.give("v1", 0, 10));
        assert!(!keyboard.give("v1", 0, 11));
    }

    #[test]
    fn a_viewer_that_disconnects_has_time_to_reconnect() {
        let mut keyboard = Keyboard::default();
        keyboard.take("v1", "page", None, 0, 0);
        keyboard.vanished("v1", 1_000);
        assert!(!keyboard.expire(0, 10_999));
        keyboard.connected("v1");
        assert!(!keyboard.expire(0, 100_000));
        keyboard.vanished("v1", 100_000);
        keyboard.vanished("v1", 105_000);
        assert!(keyboard.expire(0, 110_000), "the first disconnect counts");
        // If another viewer disconnects, nothing changes.
        let mut keyboard = typing(0);
        keyboard.vanished("v2", 0);
        assert!(!keyboard.expire(0, GRACE_MS));
    }

    #[test]
    fn one_person_takes_the_keyboard_from_another_and_the_agent_is_told_of_both() {
        let mut keyboard = Keyboard::default();
        keyboard.take("v1", "page", None, 7, 0);
        keyboard.person_typed("v2", "attach", 4, 50, 1_000);
        assert_eq!(keyboard.held().map(|held| held.who.as_str()), Some("v2"));
        assert_eq!(
            keyboard.held().and_then(KeyboardHold::ends_ms),
            Some(31_000),
            "the other's hold is not inherited"
        );
        assert!(keyboard.expire(90, 31_000));
        keyboard.person_typed("v1", "page", 1, 95, 40_000);
        assert!(keyboard.give("v1", 99, 41_000));
        let returned = keyboard.returned().unwrap();
        assert_eq!((returned.from_seq, returned.to_seq, returned.bytes), (7, 99, 5));
        assert_eq!((returned.by.as_str(), returned.held_ms), ("page", 32_000));
    }
}
