//! Which session of an owner is in front: what `active` means, and the order of its windows.
//!
//! A call that means `active` and is made again, to this daemon or the next, must mean the same session: else what it types
//! is typed twice, into two terminals. So it is noted what each such call meant, and the keeper has what is noted here
//! before the call does anything that the keeper's copy would take for another session's.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// Calls of which it is remembered what they meant by `active`.
const REMEMBERED: usize = 128;

/// What each owner used, and what its calls meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Front {
    /// The one that was used last is last.
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

/// A call that does several things names each `CALL#2`: all of them mean the same session.
fn call_of(retry_id: &str) -> &str {
    match retry_id.rsplit_once('#') {
        Some((call, part)) if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => call,
        _ => retry_id,
    }
}

impl Front {
    /// An owner used a session: it comes to the front.
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

    /// A session is gone. What was meant stays: who asks again for it is to hear that it is gone.
    pub(super) fn remove(&mut self, number: u32) {
        self.order.retain(|_, order| {
            order.retain(|&other| other != number);
            !order.is_empty()
        });
    }

    /// What an owner used, the front-most first.
    pub(super) fn of(&self, owner: &str) -> impl Iterator<Item = u32> {
        self.order.get(owner).into_iter().flatten().rev().copied()
    }

    /// What a call of an owner meant, if it was made before.
    pub(super) fn meant(&self, owner: &str, retry_id: &str) -> Option<u32> {
        let call = call_of(retry_id);
        let known = self.meant.iter().rev().find(|meant| meant.call == call && meant.owner == owner);
        known.map(|meant| meant.number)
    }

    /// Notes what it means.
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
    fn the_one_that_was_used_last_is_in_front() {
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
    fn a_call_means_what_it_meant() {
        let mut front = Front::default();
        front.means("me", "call#1", 1);
        front.means("me", "call#2", 2);
        front.means("you", "call", 3);
        for retry_id in ["call", "call#1", "call#7"] {
            assert_eq!((front.meant("me", retry_id), front.meant("you", retry_id)), (Some(1), Some(3)));
        }
        assert_eq!((front.meant("me", "call#x"), front.meant("me", "other")), (None, None));
        // Also of a session that is gone.
        front.remove(1);
        assert_eq!(front.meant("me", "call"), Some(1));
        for n in 0..REMEMBERED {
            front.means("me", &format!("other {n}"), 5);
        }
        assert_eq!((front.meant("me", "call"), front.meant.len()), (None, REMEMBERED));
    }
}
