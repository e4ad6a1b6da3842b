//! Which session of an owner is in front: what `active` means, and the order of its windows.
//!
//! Kept in a file, because a call that means `active` and is made again to the next daemon must mean the same one there:
//! else what it types is typed twice, into two terminals. It is written when another session comes to the front, and only
//! then.

use std::collections::HashMap;
use std::path::PathBuf;

/// What each owner used, the last one last.
#[derive(Debug, Default)]
pub(super) struct Front {
    order: HashMap<String, Vec<u32>>,
    file: Option<PathBuf>,
}

impl Front {
    /// As the daemon before left it, of the sessions that are still there.
    pub(super) fn read(file: PathBuf, is_there: impl Fn(u32) -> bool) -> Front {
        let kept = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut order: HashMap<String, Vec<u32>> = kept.unwrap_or_default();
        order.retain(|_, numbers| {
            numbers.retain(|&number| is_there(number));
            !numbers.is_empty()
        });
        Front { order, file: Some(file) }
    }

    /// An owner used a session: it comes to the front.
    pub(super) fn used(&mut self, owner: &str, number: u32) {
        let order = self.order.entry(owner.to_owned()).or_default();
        if order.last() == Some(&number) {
            return;
        }
        order.retain(|&other| other != number);
        order.push(number);
        self.write();
    }

    /// A session is gone.
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

    fn write(&self) {
        let Some(file) = &self.file else { return };
        // As a whole or not at all. Where it cannot be written, the next daemon takes the session that was made last.
        let new = file.with_extension("new");
        let written = serde_json::to_vec(&self.order).map_err(std::io::Error::other);
        let written = written.and_then(|bytes| std::fs::write(&new, bytes));
        if let Err(error) = written.and_then(|()| std::fs::rename(&new, file)) {
            tracing::warn!(%error, "which session is in front could not be written down");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_daemon_knows_what_was_in_front() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("front.json");
        let mut front = Front::read(file.clone(), |_| true);
        for number in [1, 2, 3, 1] {
            front.used("me", number);
        }
        front.used("you", 4);
        assert_eq!(front.of("me").collect::<Vec<_>>(), [1, 3, 2]);
        let next = Front::read(file.clone(), |number| number != 1 && number != 4);
        assert_eq!((next.of("me").collect::<Vec<_>>(), next.of("you").count()), (vec![3, 2], 0));
        std::fs::write(&file, "not ours").unwrap();
        assert_eq!(Front::read(file, |_| true).of("me").count(), 0);
    }
}
