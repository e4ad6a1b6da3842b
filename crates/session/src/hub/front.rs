//! In which order an owner used its sessions, and which session each call meant by `active`.
//!
//! A repeated call that names `active` must mean the same session as before, also to the next daemon; otherwise its input
//! would be typed twice, into two terminals. So the hub notes what each such call meant, and stores that with the keeper
//! before the call acts on a session that the keeper's copy would not name.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// How many calls that named `active` are remembered.
const REMEMBERED: usize = 128;

/// Which sessions each owner used, and which session each call meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Front {
    /// By owner; the session that was used last is last.
    #[serde(default)]
    order: HashMap<String, Vec<u32>>,
    /// Oldest first.
    #[serde(default)]
    meant: VecDeque<Meant>,
}

/// The session that a call of an owner meant by `active`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Meant {
    owner: String,
    call: String,
    number: u32,
}

/// The call that a retry id belongs to. The parts of one call are `CALL#1`, `CALL#2`; all mean the same session.
fn call_of(retry_id: &str) -> &str {
    match retry_id.rsplit_once('#') {
        Some((call, part)) if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => call,
        _ => retry_id,
    }
}

impl Front {
    /// Notes that an owner used a session: it becomes the active one.
    pub(super) fn used(&mut self, owner: &str, number: u32) {
        match self.order.get_mut(owner) {
            Some(order) if order.last() == Some(&number) => {}
            Some(order) => {
                order.retain(|&other| other != number);
                order.push(number);
            }
            None => {
                self.order.insert(owner.to_owned(), vec![number]);
            }
        }
    }

    /// Removes a session. What calls meant stays, so that a repeated call learns that its session is gone.
    pub(super) fn remove(&mut self, number: u32) {
        self.order.retain(|_, order| {
            order.retain(|&other| other != number);
            !order.is_empty()
        });
    }

    /// The sessions that an owner used, the last used first.
    pub(super) fn of(&self, owner: &str) -> impl Iterator<Item = u32> {
        self.order.get(owner).into_iter().flatten().rev().copied()
    }

    /// The session that a call of an owner meant, if the call was made before.
    pub(super) fn meant(&self, owner: &str, retry_id: &str) -> Option<u32> {
        let call = call_of(retry_id);
        let known = self.meant.iter().rev().find(|meant| meant.call == call && meant.owner == owner);
        known.map(|meant| meant.number)
    }

    /// Notes which session a call means.
    pub(super) fn means(&mut self, owner: &str, retry_id: &str, number: u32) {
        if self.meant(owner, retry_id).is_some() {
            return;
        }
        if self.meant.len() == REMEMBERED {
            self.meant.pop_front();
        }
        self.meant.push_back(Meant { owner: owner.to_owned(), call: call_of(retry_id).to_owned(), number });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_used_last_comes_first() {
        let mut front = Front::default();
        for number in [1, 2, 3, 1] {
            front.used("me", number);
        }
        front.used("you", 4);
        assert_eq!(front.of("me").collect::<Vec<_>>(), [1, 3, 2]);
        front.remove(1);
        front.remove(4);
        assert_eq!((front.of("me").collect::<Vec<_>>(), front.of("you").count()), (vec![3, 2], 0));
    }

    #[test]
    fn a_repeated_call_means_the_same_session() {
        let mut front = Front::default();
        front.means("me", "call#1", 1);
        front.means("me", "call#2", 2);
        front.means("you", "call", 3);
        for retry_id in ["call", "call#1", "call#7"] {
            assert_eq!((front.meant("me", retry_id), front.meant("you", retry_id)), (Some(1), Some(3)));
        }
        assert_eq!((front.meant("me", "call#x"), front.meant("me", "other")), (None, None));
        // The answer is the same when the session is gone.
        front.remove(1);
        assert_eq!(front.meant("me", "call"), Some(1));
        for n in 0..REMEMBERED {
            front.means("me", &format!("other {n}"), 5);
        }
        assert_eq!((front.meant("me", "call"), front.meant.len()), (None, REMEMBERED));
    }
}
