//! A session's history and screen at one moment, laid out in rows. Later output does not change it.

use std::fmt::Write;

use cotty_vt::{Size, Vt};
use regex::Regex;

/// A row, as text with styles. An engine draws it, so that it cannot control the person's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    ansi: String,
    /// Its line continues in the next row.
    wraps: bool,
}

/// One character of a row, with its column.
pub(super) struct Glyph {
    pub(super) col: u16,
    pub(super) text: String,
    pub(super) wide: bool,
}

/// A range of cells in one row: the first, and the one after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) row: usize,
    pub(super) from: u16,
    pub(super) to: u16,
}

/// All rows; at least one.
#[derive(Debug)]
pub(crate) struct Past {
    cols: u16,
    rows: Vec<Row>,
}

impl Past {
    /// Lays out lines in rows of this width.
    pub(crate) fn new(text: &str, cols: u16) -> Past {
        let cols = cols.max(2);
        let mut rows = Vec::new();
        for line in text.split('\n') {
            if line.len() <= usize::from(cols) && line.bytes().all(|b| b.is_ascii() && b != 0x1b) {
                rows.push(Row { ansi: line.to_owned(), wraps: false });
            } else {
                lay_out(line, cols, &mut rows);
            }
        }
        Past { cols, rows }
    }

    /// Adds blank rows at the end, so that the last rows are the whole screen.
    pub(crate) fn pad(&mut self, blank: u16) {
        let row = Row { ansi: String::new(), wraps: false };
        self.rows.extend(std::iter::repeat_n(row, usize::from(blank)));
    }

    pub(super) fn cols(&self) -> u16 {
        self.cols
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Draws some rows on a screen.
    pub(super) fn picture(&self, top: usize, height: u16) -> Vt {
        let mut vt = Vt::new(Size { cols: self.cols, rows: height.max(1) });
        let mut drawn = String::from("\x1b[?7l");
        for (y, row) in (1..=height).zip(self.rows.iter().skip(top)) {
            let _ = write!(drawn, "\x1b[{y};1H{}", row.ansi);
        }
        vt.feed(drawn.as_bytes());
        vt
    }

    /// The characters of a row.
    pub(super) fn glyphs(&self, row: usize) -> Vec<Glyph> {
        let vt = self.picture(row, 1);
        let cells = (0u16..).zip(vt.row_cells(0)).filter(|(_, cell)| cell.width > 0);
        let mut glyphs: Vec<Glyph> = cells
            .map(|(col, cell)| {
                let text = if cell.text.is_empty() { " " } else { &*cell.text };
                Glyph { col, text: text.to_owned(), wide: cell.width == 2 }
            })
            .collect();
        if self.wraps(row) {
            // A wide character that did not fit left a blank that is not part of the text.
            let wide_next = self.picture(row + 1, 1).row_cells(0).next().is_some_and(|cell| cell.width == 2);
            if wide_next && glyphs.last().is_some_and(|glyph| glyph.text == " ") {
                glyphs.pop();
            }
        } else {
            while glyphs.last().is_some_and(|glyph| glyph.text == " ") {
                glyphs.pop();
            }
        }
        glyphs
    }

    /// Whether a row's line continues in the next row.
    pub(super) fn wraps(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.wraps)
    }

    /// The column of the last character; 0 if the row is empty.
    pub(super) fn last_col(&self, row: usize) -> u16 {
        self.glyphs(row).last().map_or(0, |glyph| glyph.col)
    }

    /// The text of some columns of a row, the last included.
    pub(super) fn text(&self, row: usize, from: u16, to: u16) -> String {
        let glyphs = self.glyphs(row);
        let within = |glyph: &&Glyph| glyph.col + u16::from(glyph.wide) >= from && glyph.col <= to;
        glyphs.iter().filter(within).map(|glyph| glyph.text.as_str()).collect()
    }

    /// The first row of the line that contains a row, and the row after its last.
    pub(super) fn line(&self, row: usize) -> (usize, usize) {
        let (mut first, mut end) = (row, row + 1);
        while first > 0 && self.wraps(first - 1) {
            first -= 1;
        }
        while end < self.len() && self.wraps(end - 1) {
            end += 1;
        }
        (first, end)
    }

    /// The matches of a pattern in the line that contains a row: each as the ranges it covers, in order.
    pub(super) fn matches(&self, row: usize, pattern: &Regex) -> Vec<Vec<Stretch>> {
        let (first, end) = self.line(row);
        // Most lines have no match; finding that out needs no layout.
        let plain: String = self.rows[first..end].iter().map(|row| without_styles(&row.ansi)).collect();
        if !pattern.is_match(&plain) && end - first == 1 {
            return Vec::new();
        }
        let mut text = String::new();
        let mut cells: Vec<(usize, usize, u16, u16)> = Vec::new();
        for row in first..end {
            for glyph in self.glyphs(row) {
                let width = 1 + u16::from(glyph.wide);
                cells.push((text.len(), row, glyph.col, glyph.col + width));
                text.push_str(&glyph.text);
            }
        }
        let stretches = |from: usize, to: usize| {
            let mut found: Vec<Stretch> = Vec::new();
            let begin = cells.partition_point(|cell| cell.0 <= from).saturating_sub(1);
            for &(_, row, left, right) in cells[begin..].iter().take_while(|cell| cell.0 < to) {
                match found.last_mut().filter(|last| last.row == row) {
                    Some(last) => last.to = right,
                    None => found.push(Stretch { row, from: left, to: right }),
                }
            }
            found
        };
        let found = pattern.find_iter(&text).filter(|hit| !hit.is_empty());
        found.map(|hit| stretches(hit.start(), hit.end())).filter(|hit| !hit.is_empty()).collect()
    }
}

/// Lays out a line that may be styled, wide or long.
fn lay_out(line: &str, cols: u16, rows: &mut Vec<Row>) {
    // A cell takes at least one byte, and the last cell of a row may be blank.
    let room = line.len() / usize::from(cols - 1) + 2;
    let size = Size { cols, rows: u16::try_from(room).unwrap_or(u16::MAX) };
    let mut vt = Vt::new(size);
    vt.feed(line.as_bytes());
    let used = vt.cursor().row + 1;
    for row in 0..used {
        rows.push(Row { ansi: vt.row_ansi(row), wraps: row + 1 < used });
    }
}

/// The text of a styled line. The line contains only text and styles.
fn without_styles(ansi: &str) -> String {
    let mut plain = String::with_capacity(ansi.len());
    let mut rest = ansi;
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(past: &Past) -> Vec<String> {
        (0..past.len()).map(|row| past.text(row, 0, u16::MAX)).collect()
    }

    #[test]
    fn long_lines_wrap_at_the_width() {
        let past = Past::new("short\n\n0123456789abc\n\x1b[31mred text that wraps\x1b[0m\nend", 10);
        assert_eq!(rows(&past), ["short", "", "0123456789", "abc", "red text t", "hat wraps", "end"]);
        assert_eq!(past.line(3), (2, 4));
        assert_eq!(past.line(0), (0, 1));
        assert_eq!(past.picture(4, 2).row_text(1), "hat wraps");
    }

    #[test]
    fn a_blank_at_the_edge_is_text_unless_a_wide_character_follows() {
        let past = Past::new("012345678 next", 10);
        assert_eq!(rows(&past), ["012345678 ", "next"]);
        let past = Past::new("012345678漢字", 10);
        assert_eq!(rows(&past), ["012345678", "漢字"]);
    }

    #[test]
    fn a_match_can_span_rows_and_is_counted_in_cells() {
        let past = Past::new("漢字 needle\n012345needle\nnothing", 10);
        let pattern = Regex::new("needle").unwrap();
        let found = past.matches(0, &pattern);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0], [Stretch { row: 0, from: 5, to: 10 }, Stretch { row: 1, from: 0, to: 1 }]);
        let found = past.matches(2, &pattern);
        assert_eq!(found[0], [Stretch { row: 2, from: 6, to: 10 }, Stretch { row: 3, from: 0, to: 2 }]);
        assert!(past.matches(4, &pattern).is_empty());
        assert!(past.matches(0, &Regex::new("x*").unwrap()).is_empty(), "an empty match does not count");
    }
}
