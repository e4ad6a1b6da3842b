use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Deref;

use crate::grid::cell::{Cell, Glyph, Kind};
use crate::grid::row::Row;
use crate::grid::style::Style;
use crate::grid::tables::Tables;
use crate::term::Term;
use crate::{LineRef, Vt};

/// One cell of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRef<'a> {
    /// The cluster it shows; empty for a blank and for the right half of a wide cluster.
    pub text: CellText<'a>,
    /// 1; 2 for the left half of a wide cluster, 0 for its right half.
    pub width: u8,
    /// Its style.
    pub style: Style,
    /// The address of the hyperlink it is part of.
    pub link: Option<&'a str>,
}

/// The text of one cell; it dereferences to `str`.
#[derive(Debug, Clone, Copy)]
pub struct CellText<'a>(Text<'a>);

#[derive(Debug, Clone, Copy)]
enum Text<'a> {
    Char([u8; 4], u8),
    Cluster(&'a str),
}

impl Deref for CellText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Char(bytes, len) => {
                core::str::from_utf8(bytes.get(..usize::from(*len)).unwrap_or_default()).unwrap_or_default()
            }
            Text::Cluster(text) => text,
        }
    }
}

impl PartialEq for CellText<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for CellText<'_> {}

impl<'a> CellRef<'a> {
    pub(crate) fn new(cell: Cell, tables: &'a Tables) -> CellRef<'a> {
        let text = if cell.is_empty() {
            Text::Cluster("")
        } else {
            match cell.glyph() {
                Glyph::Char(c) => {
                    let mut bytes = [0; 4];
                    let len = c.encode_utf8(&mut bytes).len() as u8;
                    Text::Char(bytes, len)
                }
                Glyph::Cluster(index) => Text::Cluster(tables.clusters.get(index)),
            }
        };
        let width = match cell.kind() {
            Kind::Narrow | Kind::Filler => 1,
            Kind::Wide => 2,
            Kind::Right => 0,
        };
        let look = tables.look(cell);
        CellRef { text: CellText(text), width, style: look.style(), link: tables.links.get(look.link()) }
    }
}

impl Vt {
    /// What readers see: the terminal, or its state before the frame that is being drawn.
    pub(crate) fn shown(&self) -> &Term {
        self.term.frame.as_deref().unwrap_or(&self.term)
    }

    /// A row's text, right-trimmed; empty if there is no such row.
    pub fn row_text(&self, row: u16) -> String {
        self.shown().row_text(row)
    }

    /// Like `row_text`, but from the live screen, even while a frame is being drawn.
    pub(crate) fn live_row_text(&self, row: u16) -> String {
        self.term.row_text(row)
    }

    /// All rows right-trimmed, each ended by a newline.
    pub fn screen_text(&self) -> String {
        let term = self.shown();
        let mut out: Vec<u8> = Vec::with_capacity(term.screen().len() * (term.cols() + 1));
        let mut text = String::new();
        for row in term.screen().iter() {
            let len = row.text_len();
            if row.is_ascii() {
                out.extend(row.cells().iter().take(len).map(|cell| cell.byte()));
            } else {
                text.clear();
                term.tables.push_text(row, 0, len, &mut text);
                out.extend_from_slice(text.as_bytes());
            }
            out.push(b'\n');
        }
        String::from_utf8(out).unwrap_or_default()
    }

    /// A row's cells, one per column; empty if there is no such row.
    pub fn row_cells(&self, row: u16) -> impl Iterator<Item = CellRef<'_>> {
        let term = self.shown();
        let (cols, tables) = (term.cols(), &term.tables);
        term.row(row)
            .into_iter()
            .flat_map(move |row| (0..cols).map(move |col| CellRef::new(row.get(col), tables)))
    }

    /// The rows of the screen that changed after `seq`; scrolling alone is not a change.
    pub fn rows_since(&self, seq: u64) -> impl Iterator<Item = u16> {
        (0..).zip(self.shown().screen().iter()).filter(move |(_, row)| row.stamp > seq).map(|(at, _)| at)
    }

    /// A row with its styles as SGR, right-trimmed, followed by a reset if necessary.
    pub fn row_ansi(&self, row: u16) -> String {
        let mut out = String::new();
        let term = self.shown();
        let Some(row) = term.row(row) else { return out };
        let used = row.cells().iter().rposition(|cell| !cell.is_plain_blank()).map_or(0, |last| last + 1);
        let (mut id, mut style) = (Default::default(), Style::default());
        for (col, cell) in row.cells().iter().enumerate().take(used) {
            if cell.kind() == Kind::Right {
                continue;
            }
            if cell.style != id {
                id = cell.style;
                let next = term.tables.look(*cell).style();
                if next != style {
                    style = next;
                    out.push_str(&style.sgr());
                }
            }
            if cell.kind() == Kind::Filler {
                out.push(' ');
            }
            term.tables.push_text(row, col, col + 1, &mut out);
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        out
    }

    /// How many logical lines the history holds; each 64 KiB piece of a longer line counts as one.
    pub fn history_lines(&self) -> usize {
        self.shown().history.len()
    }

    /// How many logical lines the history dropped because of its limits.
    pub fn history_dropped(&self) -> u64 {
        self.shown().history.dropped()
    }

    /// The history's lines, oldest first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = LineRef<'_>> + ExactSizeIterator {
        self.shown().history.lines().map(|line| LineRef {
            id: line.id,
            stamp: line.stamp,
            text: line.text.trim_end_matches(' '),
        })
    }

    /// The history's lines with their styles as SGR, oldest first, built lazily.
    pub fn history_ansi(&self) -> impl DoubleEndedIterator<Item = String> + ExactSizeIterator {
        self.shown().history.lines().map(|line| line.ansi())
    }
}

impl Term {
    pub(crate) fn row(&self, row: u16) -> Option<&Row> {
        self.screen().get(usize::from(row))
    }

    fn row_text(&self, row: u16) -> String {
        let mut out = String::new();
        if let Some(row) = self.row(row) {
            self.tables.push_text(row, 0, row.text_len(), &mut out);
        }
        out
    }
}
