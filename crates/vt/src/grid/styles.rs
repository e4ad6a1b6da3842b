use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::grid::attributes::Attributes;
use crate::grid::cell::StyleId;

/// Below this many entries a sweep is not worth its cost.
const SMALL: usize = 1024;

/// The distinct attributes of the cells. A cell stores an index into this table, so that it stays small.
///
/// There are no reference counts: when the table has grown, a sweep removes the entries that no cell uses.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Styles {
    #[serde(with = "crate::state::packed")]
    looks: Vec<Attributes>,
    /// A sweep is due when there are more entries than this.
    limit: usize,
    /// A hash table of indexes into `looks`; rebuilt when it is too small.
    #[serde(skip)]
    slots: Vec<u32>,
}

impl Default for Styles {
    fn default() -> Self {
        Styles { looks: Vec::new(), limit: SMALL, slots: Vec::new() }
    }
}

impl Styles {
    pub(crate) fn get(&self, id: StyleId) -> Attributes {
        // Index 0, the default, is not stored: most terminals never use another.
        (id.0 as usize).checked_sub(1).and_then(|index| self.looks.get(index)).copied().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.looks.len() + 1
    }

    pub(crate) fn intern(&mut self, look: Attributes) -> StyleId {
        if look == Attributes::default() {
            return StyleId(0);
        }
        if self.slots.len() < (self.looks.len() + 1) * 2 {
            self.rehash();
        }
        let mask = self.slots.len() - 1;
        let mut at = look.hash() as usize & mask;
        loop {
            match self.slots.get(at) {
                Some(&id) if id != 0 => {
                    if self.looks.get(id as usize - 1) == Some(&look) {
                        return StyleId(id);
                    }
                    at = (at + 1) & mask;
                }
                _ => break,
            }
        }
        self.looks.push(look);
        let id = self.looks.len() as u32;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = id;
        }
        StyleId(id)
    }

    fn rehash(&mut self) {
        let size = ((self.looks.len() + 1) * 4).next_power_of_two().max(32);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (id, look) in (1..).zip(&self.looks) {
            let mut at = look.hash() as usize & (size - 1);
            while self.slots.get(at).is_some_and(|taken| *taken != 0) {
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = id;
            }
        }
    }

    /// Frees the hash table and spare memory, because nothing more will be added.
    pub(crate) fn seal(&mut self) {
        self.slots = Vec::new();
        self.looks.shrink_to_fit();
    }

    pub(crate) fn is_full(&self) -> bool {
        self.looks.len() > self.limit
    }

    /// Keeps only the entries that `visit` passes to its callback, in that order. The callback returns
    /// their new indexes.
    pub(crate) fn sweep(&mut self, visit: impl FnOnce(&mut dyn FnMut(StyleId) -> StyleId)) {
        let old = core::mem::take(self);
        let mut moved: Vec<u32> = alloc::vec![0; old.len()];
        visit(&mut |id| {
            let known = moved.get(id.0 as usize).copied().unwrap_or(0);
            if id.0 == 0 || known != 0 {
                return StyleId(known);
            }
            self.looks.push(old.get(id));
            let new = self.looks.len() as u32;
            if let Some(slot) = moved.get_mut(id.0 as usize) {
                *slot = new;
            }
            StyleId(new)
        });
        self.limit = (self.looks.len() * 2).max(SMALL);
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Attributes> {
        // Entries changed through this iterator no longer match their hash slots.
        self.slots.clear();
        self.looks.iter_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Attributes> {
        self.looks.iter()
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.looks.iter().all(|look| look.is_sound()) && self.limit < 1 << 40
    }
}
