use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::LineId;
use crate::grid::row::Row;

/// The rows of one screen. Scrolling changes their order without moving a row in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Screen {
    rows: Vec<Row>,
    /// For each row from the top, its index in `rows`.
    order: Vec<u16>,
}

impl Screen {
    /// Creates blank rows, each with its own line id, counted from `first`.
    pub(crate) fn new(rows: u16, first: u64) -> Screen {
        let lines = first..first + u64::from(rows);
        Screen { rows: lines.map(|id| Row::new(LineId(id), 0)).collect(), order: (0..rows).collect() }
    }

    pub(crate) fn from_rows(rows: Vec<Row>) -> Screen {
        let order = (0..rows.len() as u16).collect();
        Screen { rows, order }
    }

    /// Takes the rows out, from the top.
    pub(crate) fn into_rows(mut self) -> impl Iterator<Item = Row> {
        let order = core::mem::take(&mut self.order);
        order.into_iter().map(move |at| {
            let gone = Row::new(LineId(0), 0);
            core::mem::replace(&mut self.rows[usize::from(at)], gone)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn row(&self, at: usize) -> &Row {
        &self.rows[usize::from(self.order[at])]
    }

    pub(crate) fn row_mut(&mut self, at: usize) -> &mut Row {
        &mut self.rows[usize::from(self.order[at])]
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Row> {
        self.order.get(at).and_then(|at| self.rows.get(usize::from(*at)))
    }

    /// The rows from the top.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.order.iter().map(|at| &self.rows[usize::from(*at)])
    }

    /// The rows in any order.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.rows.iter_mut()
    }

    /// Moves the rows `top..=bottom` up by `count`; rows that leave at the top enter at the bottom.
    pub(crate) fn rotate_up(&mut self, top: usize, bottom: usize, count: usize) {
        self.order[top..=bottom].rotate_left(count);
    }

    /// Moves the rows `top..=bottom` down by `count`; rows that leave at the bottom enter at the top.
    pub(crate) fn rotate_down(&mut self, top: usize, bottom: usize, count: usize) {
        self.order[top..=bottom].rotate_right(count);
    }

    /// The number of rows down to the last one with text.
    pub(crate) fn used(&self) -> usize {
        self.iter().rposition(Row::has_text).map_or(0, |last| last + 1)
    }

    pub(crate) fn is_sound(&self) -> bool {
        let mut seen = alloc::vec![false; self.rows.len()];
        let each_once = self.order.iter().all(|at| {
            let slot = seen.get_mut(usize::from(*at));
            slot.is_some_and(|seen| !core::mem::replace(seen, true))
        });
        each_once && self.order.len() == self.rows.len()
    }
}
