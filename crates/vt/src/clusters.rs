use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::unicode;

/// The longest cluster a cell holds, in bytes; what a program piles up beyond it is dropped.
pub(crate) const MAX_CLUSTER: usize = 64;

/// Below this many bytes it is not worth looking for clusters that are no longer shown.
const SMALL: usize = 16 << 10;

/// The texts of the cells that hold more than one character.
///
/// Nothing is counted: when the table has grown, those that no cell names any more are swept out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clusters {
    text: String,
    /// Where each one ends in the text.
    ends: Vec<u32>,
    /// Whether cutting its text again would give it as it is: one cluster, of its width.
    regular: Vec<bool>,
    /// A sweep is due when the text is longer than this.
    limit: usize,
}

impl Default for Clusters {
    fn default() -> Self {
        Clusters { text: String::new(), ends: Vec::new(), regular: Vec::new(), limit: SMALL }
    }
}

impl Clusters {
    pub(crate) fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_regular(&self, index: u32) -> bool {
        self.regular.get(index as usize).copied().unwrap_or(false)
    }

    /// Adds a cluster.
    pub(crate) fn add(&mut self, text: &str, regular: bool) -> u32 {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.regular.push(regular);
        (self.ends.len() - 1) as u32
    }

    /// Begins a cluster with two characters.
    pub(crate) fn begin(&mut self, first: char, c: char, belongs: bool) -> u32 {
        self.text.push(first);
        self.text.push(c);
        self.ends.push(self.text.len() as u32);
        self.regular.push(belongs);
        (self.ends.len() - 1) as u32
    }

    /// The cluster with one more character, which belongs to it by the rules or not. The newest one,
    /// which usually is the one being printed, grows where it is.
    pub(crate) fn extended(&mut self, index: u32, c: char, belongs: bool) -> u32 {
        let newest = index as usize + 1 == self.ends.len();
        if !newest {
            let old = String::from(self.get(index));
            self.add(&old, self.is_regular(index));
        }
        self.text.push(c);
        if let (Some(end), Some(regular)) = (self.ends.last_mut(), self.regular.last_mut()) {
            *end = self.text.len() as u32;
            *regular &= belongs;
        }
        (self.ends.len() - 1) as u32
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    /// Keeps only the clusters that `visit` names, in the order it names them, and tells it their
    /// new numbers.
    pub(crate) fn sweep(&mut self, visit: impl FnOnce(&mut dyn FnMut(u32) -> u32)) {
        let old = core::mem::take(self);
        let mut moved: Vec<Option<u32>> = alloc::vec![None; old.len()];
        visit(&mut |index| {
            let known = moved.get(index as usize).copied().flatten();
            known.unwrap_or_else(|| {
                let new = self.add(old.get(index), old.is_regular(index));
                if let Some(slot) = moved.get_mut(index as usize) {
                    *slot = Some(new);
                }
                new
            })
        });
        self.limit = (self.text.len() * 2).max(SMALL);
    }

    pub(crate) fn is_sound(&self) -> bool {
        let mut before = 0;
        let ends = self.ends.iter().all(|&end| {
            let fits = end > before && (end - before) as usize <= MAX_CLUSTER;
            before = end;
            fits && self.text.is_char_boundary(end as usize)
        });
        ends && before as usize == self.text.len()
            && !self.text.chars().any(char::is_control)
            && self.regular.len() == self.ends.len()
            && (0..self.len() as u32).all(|index| {
                let text = self.get(index);
                !self.is_regular(index)
                    || unicode::clusters(text).next().is_some_and(|(first, _)| first == text)
            })
            && self.limit < 1 << 40
    }
}
