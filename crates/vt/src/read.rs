use alloc::string::String;

use crate::cell::CellKind;
use crate::row::Row;
use crate::style::Style;
use crate::{LineRef, Vt};

/// One cell of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellRef<'a> {
    /// The character with what combines with it; empty for a blank and for the right half of a wide one.
    pub text: &'a str,
    /// 1, 2 for the left half of a wide character, 0 for its right half.
    pub width: u8,
    /// How it looks.
    pub style: Style,
}

impl Vt {
    /// A row's text, right-trimmed; empty if there is no such row.
    pub fn row_text(&self, row: u16) -> String {
        let mut out = String::new();
        if let Some(row) = self.screen_row(row) {
            row.push_text(0, row.text_len(), &mut out);
        }
        out
    }

    /// All rows right-trimmed, each ended by a newline.
    pub fn screen_text(&self) -> String {
        let mut out = String::new();
        for row in self.term.screen() {
            row.push_text(0, row.text_len(), &mut out);
            out.push('\n');
        }
        out
    }

    /// A row's cells, one for each column; none if there is no such row.
    pub fn row_cells(&self, row: u16) -> impl Iterator<Item = CellRef<'_>> {
        let cols = self.term.cols();
        self.screen_row(row).into_iter().flat_map(move |row| {
            (0..cols).map(move |col| {
                let cell = row.get(col);
                let width = match cell.kind {
                    CellKind::Narrow | CellKind::Filler => 1,
                    CellKind::Wide => 2,
                    CellKind::Right => 0,
                };
                CellRef { text: cell.text(), width, style: cell.style }
            })
        })
    }

    /// A row with its styles as SGR, right-trimmed, reset at the end when any were needed.
    pub fn row_ansi(&self, row: u16) -> String {
        let mut out = String::new();
        let Some(row) = self.screen_row(row) else { return out };
        let used = row.cells().iter().rposition(|cell| !cell.is_plain_blank()).map_or(0, |last| last + 1);
        let mut style = Style::default();
        for col in 0..used {
            let cell = row.get(col);
            if cell.kind == CellKind::Right {
                continue;
            }
            if cell.style != style {
                style = cell.style;
                out.push_str(&style.sgr());
            }
            out.push_str(if cell.is_empty() { " " } else { cell.text() });
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        out
    }

    /// How many logical lines the history holds (a line over 64 KiB counts once for each piece).
    pub fn history_lines(&self) -> usize {
        self.term.history.lines().len()
    }

    /// How many logical lines fell out of the history's limits.
    pub fn history_dropped(&self) -> u64 {
        self.term.history.dropped()
    }

    /// The history's lines, oldest first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = LineRef<'_>> + ExactSizeIterator {
        self.term.history.lines().iter().map(|line| line.as_line_ref())
    }

    /// The history's lines with their styles as SGR, oldest first, each made when asked for.
    pub fn history_ansi(&self) -> impl DoubleEndedIterator<Item = String> + ExactSizeIterator {
        self.term.history.lines().iter().map(|line| line.ansi())
    }

    fn screen_row(&self, row: u16) -> Option<&Row> {
        self.term.screen().get(usize::from(row))
    }
}
