use alloc::collections::{BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Vt;
use crate::hash::hash;

/// The limits of the alternate-screen history.
const MAX_ROWS: usize = 4096;
const MAX_BYTES: usize = 256 << 10;

/// The alternate-screen history: rows that full-screen programs showed for a while and then
/// removed. Each text is kept once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AlternateHistory {
    /// The rows at the last call of `settle`.
    settled: Vec<AlternateRow>,
    rows: VecDeque<AlternateRow>,
    known: BTreeSet<u64>,
    bytes: usize,
}

/// A row of the alternate screen that is no longer on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternateRow {
    /// `seq` after the last byte that changed it.
    pub stamp: u64,
    /// Its text, right-trimmed.
    pub text: String,
}

impl AlternateHistory {
    pub(crate) fn rows(&self) -> &VecDeque<AlternateRow> {
        &self.rows
    }

    /// Keeps all settled rows, because the program leaves the alternate screen.
    pub(crate) fn leave(&mut self) {
        self.settle(Vec::new());
    }

    /// Settles on these rows, and keeps the previously settled rows that are gone.
    fn settle(&mut self, now: Vec<AlternateRow>) {
        let shown: BTreeSet<u64> = now.iter().map(|row| hash(row.text.as_bytes())).collect();
        for row in core::mem::replace(&mut self.settled, now) {
            let name = hash(row.text.as_bytes());
            if row.text.is_empty() || shown.contains(&name) || !self.known.insert(name) {
                continue;
            }
            self.bytes += row.text.len();
            self.rows.push_back(row);
            while self.rows.len() > MAX_ROWS || self.bytes > MAX_BYTES {
                let Some(oldest) = self.rows.pop_front() else { break };
                self.bytes -= oldest.text.len();
                self.known.remove(&hash(oldest.text.as_bytes()));
            }
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        let bytes: usize = self.rows.iter().map(|row| row.text.len()).sum();
        let known: BTreeSet<u64> = self.rows.iter().map(|row| hash(row.text.as_bytes())).collect();
        bytes == self.bytes
            && known == self.known
            && self.rows.len() == known.len()
            && self.rows.len() <= MAX_ROWS
            && self.settled.len() <= 2000
    }
}

impl Vt {
    /// Tells the engine that the screen has been unchanged long enough for a person to see it.
    /// Only rows that settled go into the alternate-screen history when they are removed.
    pub fn settle(&mut self) {
        if !self.term.modes.alt_screen {
            return;
        }
        let stamps = self.term.screen().iter().map(|row| row.stamp);
        let rows = (0..self.term.size.rows).map(|row| self.live_row_text(row));
        let now = stamps.zip(rows).map(|(stamp, text)| AlternateRow { stamp, text }).collect();
        self.term.alternate_history.settle(now);
    }

    /// The rows that full-screen programs showed and removed, oldest first.
    pub fn alternate_history(&self) -> impl DoubleEndedIterator<Item = &AlternateRow> + ExactSizeIterator {
        self.shown().alternate_history.rows().iter()
    }
}
