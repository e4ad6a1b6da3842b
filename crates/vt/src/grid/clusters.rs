use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::unicode;

/// The longest cluster that a cell holds, in bytes; further characters are dropped.
pub(crate) const MAX_CLUSTER: usize = 64;

/// Below this many bytes a sweep is not worth its cost.
const SMALL: usize = 16 << 10;

/// The texts of cells that hold more than one character.
///
/// There are no reference counts: when the table has grown, a sweep removes the clusters that no cell uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clusters {
    text: String,
    ends: Vec<End>,
    /// A sweep is due when the text is longer than this.
    limit: usize,
}

/// Where a cluster ends in the text. The lowest bit says whether the cluster is regular: segmenting its text again
/// yields one cluster of the same width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct End(u32);

impl End {
    fn new(at: usize, regular: bool) -> End {
        End((at as u32) << 1 | u32::from(regular))
    }

    fn at(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_regular(self) -> bool {
        self.0 & 1 != 0
    }
}

impl Default for Clusters {
    fn default() -> Self {
        Clusters { text: String::new(), ends: Vec::new(), limit: SMALL }
    }
}

impl Clusters {
    pub(crate) fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end.at());
        let end = self.ends.get(index).map_or(0, |end| end.at());
        self.text.get(start..end).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_regular(&self, index: u32) -> bool {
        self.ends.get(index as usize).is_some_and(|end| end.is_regular())
    }

    /// Adds a cluster.
    pub(crate) fn add(&mut self, text: &str, regular: bool) -> u32 {
        self.text.push_str(text);
        self.end(regular)
    }

    /// Begins a cluster with two characters.
    pub(crate) fn begin(&mut self, first: char, c: char, belongs: bool) -> u32 {
        self.text.push(first);
        self.text.push(c);
        self.end(belongs)
    }

    fn end(&mut self, regular: bool) -> u32 {
        self.ends.push(End::new(self.text.len(), regular));
        (self.ends.len() - 1) as u32
    }

    /// Adds a character to a cluster; `belongs` says whether the cluster rules join it. The newest
    /// cluster, usually the one being printed, is extended in place.
    pub(crate) fn extended(&mut self, index: u32, c: char, belongs: bool) -> u32 {
        let newest = index as usize + 1 == self.ends.len();
        if !newest {
            let old = String::from(self.get(index));
            self.add(&old, self.is_regular(index));
        }
        self.text.push(c);
        let regular = self.ends.pop().is_some_and(|end| end.is_regular());
        self.end(regular && belongs)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    /// Keeps only the clusters that `visit` passes to its callback, in that order. The callback returns
    /// their new indexes.
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
        let ends = self.ends.iter().all(|end| {
            let fits = end.at() > before && end.at() - before <= MAX_CLUSTER;
            before = end.at();
            fits && self.text.is_char_boundary(before)
        });
        ends && before == self.text.len()
            && !self.text.chars().any(char::is_control)
            && (0..self.len() as u32).all(|index| {
                let text = self.get(index);
                !self.is_regular(index)
                    || unicode::clusters(text).next().is_some_and(|(first, _)| first == text)
            })
            && self.limit < 1 << 40
    }
}
