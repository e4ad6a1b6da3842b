use alloc::format;

use super::Term;
use crate::grid::cell::{Glyph, Kind};
use crate::parse::params::Params;

impl Term {
    /// DECRQCRA: reports the sum of the characters in a rectangle, with blanks as spaces. A program can
    /// use it to read the output of others, so it needs permission.
    pub(super) fn report_checksum(&mut self, params: &Params) {
        if !self.allow.checksum {
            return;
        }
        let origin = if self.cursor.origin { self.top } else { 0 };
        let edge = |index: usize, missing: u16, most: u16| {
            let value = if params.get(index) == 0 { missing } else { params.get(index) };
            usize::from(value.min(most))
        };
        let (rows, cols) = (self.size.rows, self.size.cols);
        let top = edge(2, 1, rows) + usize::from(origin);
        let bottom = edge(4, rows, rows) + usize::from(origin);
        let (left, right) = (edge(3, 1, cols), edge(5, cols, cols));
        let mut sum: u32 = 0;
        for row in (top..=bottom).filter_map(|row| self.screen().get(row - 1)) {
            for cell in (left..=right).map(|col| row.get(col - 1)) {
                if matches!(cell.kind(), Kind::Right | Kind::Filler) {
                    continue;
                }
                let mut add = |c: char| sum = sum.wrapping_add(u32::from(c));
                match cell.glyph() {
                    Glyph::Char(c) => add(c),
                    Glyph::Cluster(index) => self.tables.clusters.get(index).chars().for_each(add),
                }
            }
        }
        let id = params.get(0);
        self.reply(&format!("\x1bP{id}!~{:04X}\x1b\\", sum & 0xffff));
    }
}
