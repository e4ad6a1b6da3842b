use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::grid::cell::{Cell, Glyph, Kind};
use crate::grid::row::Row;
use crate::grid::style::INVERSE;
use crate::term::Term;
use crate::text::read::CellRef;
use crate::unicode::{self, EMOJI_FORM};
use crate::{LineId, Size, Style, Vt};

/// Draws a terminal's screen for another terminal: first all of it, then only the changes.
///
/// The output contains only absolute cursor positions, SGR, erases, text, and the cursor's
/// visibility and shape. It never relies on wrapping, and it sets the position again after every
/// cluster whose width the other terminal might measure differently.
#[derive(Debug, Clone, Default)]
pub struct Painter {
    shown: Option<Painted>,
}

/// What the other terminal shows after the last paint.
#[derive(Debug, Clone)]
struct Painted {
    size: Size,
    rows: Vec<RowName>,
    cursor: CursorLook,
    look: ScreenLook,
}

/// Identifies a row and its content: every change sets a new stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowName {
    line: LineId,
    start: u32,
    stamp: u64,
}

/// Settings that affect the look of every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ScreenLook {
    reverse: bool,
    colors: u64,
    layouts: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CursorLook {
    row: u16,
    col: u16,
    visible: bool,
    code: u8,
}

/// Tells whether a viewer's picture of a row might have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowVersion {
    name: RowName,
    look: ScreenLook,
}

impl RowVersion {
    /// Which text the row shows: its line, and the cell of that line at which the row begins.
    pub fn place(self) -> (LineId, u32) {
        (self.name.line, self.name.start)
    }

    /// Whether both are the same row with the same text; the colours might differ.
    pub fn same_text(self, other: RowVersion) -> bool {
        self.name == other.name
    }
}

impl Vt {
    /// The version of a row as readers see it; an unchanged row keeps its version.
    pub fn row_version(&self, row: u16) -> Option<RowVersion> {
        let term = self.shown();
        let row = term.row(row)?;
        Some(RowVersion { name: RowName::of(row), look: ScreenLook::of(term) })
    }

    /// A row's cells as a viewer should draw them: their styles include reverse screen mode and changed palette colours.
    pub fn row_painted(&self, row: u16) -> impl Iterator<Item = CellRef<'_>> {
        let term = self.shown();
        term.row(row).into_iter().flat_map(move |row| {
            let cells = Cells::of(term, row);
            (0..term.cols()).map(move |col| {
                let cell = row.get(col);
                CellRef { style: cells.style(cell), ..CellRef::new(cell, &term.tables) }
            })
        })
    }
}

impl Painter {
    /// A painter for a viewer that shows nothing yet.
    pub fn new() -> Painter {
        Painter::default()
    }

    /// Paints the whole screen, whatever the viewer shows now.
    pub fn full(&mut self, vt: &Vt) -> String {
        let term = vt.shown();
        let size = term.size;
        let mut out = String::from("\x1b[0m\x1b[H\x1b[2J");
        let mut rows = Vec::with_capacity(usize::from(size.rows));
        for (at, row) in (0..).zip(term.screen().iter()) {
            rows.push(RowName::of(row));
            Cells::of(term, row).paint(at, true, &mut out);
        }
        let cursor = CursorLook::of(vt);
        cursor.paint(None, &mut out);
        self.shown = Some(Painted { size, rows, cursor, look: ScreenLook::of(term) });
        out
    }

    /// Paints the changes since the last paint; `None` if there are none. The first time, and after a
    /// resize, it paints the whole screen.
    pub fn diff(&mut self, vt: &Vt) -> Option<String> {
        let term = vt.shown();
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.size == term.size) else {
            return Some(self.full(vt));
        };
        let look = ScreenLook::of(term);
        let repaint = core::mem::replace(&mut shown.look, look) != look;
        let mut out = String::new();
        for ((at, row), name) in (0..).zip(term.screen().iter()).zip(shown.rows.iter_mut()) {
            let now = RowName::of(row);
            if *name != now || repaint {
                *name = now;
                Cells::of(term, row).paint(at, false, &mut out);
            }
        }
        let cursor = CursorLook::of(vt);
        if out.is_empty() && cursor == shown.cursor {
            return None;
        }
        cursor.paint(Some(shown.cursor), &mut out);
        shown.cursor = cursor;
        Some(out)
    }
}

impl RowName {
    fn of(row: &Row) -> RowName {
        RowName { line: row.line, start: row.start, stamp: row.stamp }
    }
}

impl ScreenLook {
    fn of(term: &Term) -> ScreenLook {
        ScreenLook { reverse: term.modes.reverse_screen, colors: term.colors.revision, layouts: term.layouts }
    }
}

/// A row as a viewer should draw it, with reverse screen mode and changed palette colours applied.
struct Cells<'a> {
    term: &'a Term,
    row: &'a Row,
}

impl<'a> Cells<'a> {
    fn of(term: &'a Term, row: &'a Row) -> Cells<'a> {
        Cells { term, row }
    }

    fn style(&self, cell: Cell) -> Style {
        let mut style = self.term.tables.look(cell).style();
        if self.term.modes.reverse_screen {
            style.attrs ^= INVERSE;
        }
        if self.term.colors.is_changed() {
            style.fg = self.term.colors.shown(style.fg);
            style.bg = self.term.colors.shown(style.bg);
            style.underline_color = self.term.colors.shown(style.underline_color);
        }
        style
    }

    /// Paints the row; `clean` says that the viewer's row is blank already.
    fn paint(&self, at: u16, clean: bool, out: &mut String) {
        let cols = self.term.cols();
        let cells = self.row.cells();
        let used = match self.term.modes.reverse_screen {
            true => cols,
            false => cells.iter().rposition(|cell| !cell.is_plain_blank()).map_or(0, |last| last + 1),
        };
        if clean && used == 0 {
            return;
        }
        place(out, at, 0);
        // `None` differs from every id, so the first cell's style is always looked up.
        let (mut id, mut style) = (None, Style::default());
        let mut spills = false;
        for col in 0..used {
            let cell = self.row.get(col);
            if cell.kind() == Kind::Right {
                continue;
            }
            if id != Some(cell.style) {
                id = Some(cell.style);
                let next = self.style(cell);
                if next != style {
                    style = next;
                    out.push_str(&style.sgr());
                }
            }
            spills |= cell.cluster().is_some();
            self.paint_cell(cell, at, col, out);
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        // After the last column a wrap is pending, and an erase would clear that cell. If the viewer drew a
        // cluster too wide, the excess is behind the last cell.
        if used < cols && (!clean || spills) {
            out.push_str("\x1b[K");
        }
    }

    fn paint_cell(&self, cell: Cell, at: u16, col: usize, out: &mut String) {
        let width = if cell.kind() == Kind::Wide { 2 } else { 1 };
        match cell.glyph() {
            Glyph::Char(c) if c.is_ascii() => return out.push(c),
            Glyph::Char(c) if width == 1 => {
                if unicode::props(c).joins_anything() {
                    // Otherwise a viewer would join it to the previous cell; here the two are separate.
                    place(out, at, col as u16);
                }
                out.push(c);
            }
            glyph => {
                // Erase first, in case the viewer draws the cluster narrower.
                let _ = write!(out, "\x1b[{width}X");
                match glyph {
                    Glyph::Char(c) => out.push(c),
                    Glyph::Cluster(index) => {
                        // A final ZWJ is invisible, but a viewer might join the next cell to this one.
                        let text = self.term.tables.clusters.get(index).trim_end_matches('\u{200d}');
                        let narrow = width == 1 && unicode::cluster_width(text.chars()) == 2;
                        let text = fitting(text, self.term.cols() - col);
                        out.extend(text.chars().filter(|c| !narrow || *c != EMOJI_FORM));
                    }
                }
            }
        }
        let next = col + width;
        if next < self.term.cols() {
            place(out, at, next as u16);
        }
    }
}

/// The cluster, or only its first character (with its variation selector) if its characters do not fit side by side:
/// a viewer without cluster support would continue in the next row.
fn fitting(cluster: &str, room: usize) -> &str {
    let width: usize = cluster.chars().map(|c| usize::from(unicode::props(c).width())).sum();
    let ends = |(at, c): (usize, char)| (c != EMOJI_FORM).then_some(at);
    let first = cluster.char_indices().skip(1).find_map(ends).unwrap_or(cluster.len());
    if width > room { cluster.get(..first).unwrap_or_default() } else { cluster }
}

fn place(out: &mut String, row: u16, col: u16) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\x1b[{};{}H", row + 1, col + 1);
}

impl CursorLook {
    fn of(vt: &Vt) -> CursorLook {
        let cursor = vt.cursor();
        CursorLook { row: cursor.row, col: cursor.col, visible: cursor.visible, code: vt.shown().cursor_code }
    }

    fn paint(self, before: Option<CursorLook>, out: &mut String) {
        place(out, self.row, self.col);
        if before.is_none_or(|before| before.code != self.code) {
            let _ = write!(out, "\x1b[{} q", self.code);
        }
        if before.is_none_or(|before| before.visible != self.visible) {
            out.push_str(if self.visible { "\x1b[?25h" } else { "\x1b[?25l" });
        }
    }
}
