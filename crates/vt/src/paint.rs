use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::hash::{Hash, Hasher};

use crate::style::INVERSE;
use crate::{CellRef, Size, Style, Vt};

/// Draws a terminal's screen for another terminal, and then only what changed.
///
/// The output is nothing but absolute cursor positions, SGR, erases, text, and the cursor's
/// visibility and shape. It never relies on wrapping, and says the place again after every cluster
/// whose width the other terminal might judge differently.
#[derive(Debug, Clone, Default)]
pub struct Painter {
    shown: Option<Shown>,
}

/// What the other terminal shows, as far as it was told.
#[derive(Debug, Clone)]
struct Shown {
    size: Size,
    rows: Vec<u64>,
    cursor: CursorLook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CursorLook {
    row: u16,
    col: u16,
    visible: bool,
    code: u8,
}

impl Painter {
    /// A painter for a viewer that shows nothing yet.
    pub fn new() -> Painter {
        Painter::default()
    }

    /// The whole screen, whatever the viewer shows now.
    pub fn full(&mut self, vt: &Vt) -> String {
        let size = vt.size();
        let mut out = String::from("\x1b[0m\x1b[H\x1b[2J");
        let mut rows = Vec::with_capacity(usize::from(size.rows));
        for row in 0..size.rows {
            let cells = Cells::of(vt, row);
            rows.push(cells.hash());
            cells.paint(row, true, &mut out);
        }
        let cursor = CursorLook::of(vt);
        cursor.paint(None, &mut out);
        self.shown = Some(Shown { size, rows, cursor });
        out
    }

    /// What changed since the last paint; nothing if nothing did. The first time, and after a change
    /// of size, it is the whole screen.
    pub fn diff(&mut self, vt: &Vt) -> Option<String> {
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.size == vt.size()) else {
            return Some(self.full(vt));
        };
        let mut out = String::new();
        for (row, hash) in (0..).zip(shown.rows.iter_mut()) {
            let cells = Cells::of(vt, row);
            let now = cells.hash();
            if *hash != now {
                *hash = now;
                cells.paint(row, false, &mut out);
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

/// A row as it is to look, with the whole screen's reversal already in it.
struct Cells<'a> {
    cells: Vec<CellRef<'a>>,
}

impl<'a> Cells<'a> {
    fn of(vt: &'a Vt, row: u16) -> Cells<'a> {
        let reverse = vt.modes().reverse_screen;
        let turned = |cell: CellRef<'a>| {
            let style = Style { attrs: cell.style.attrs ^ INVERSE, ..cell.style };
            if reverse { CellRef { style, ..cell } } else { cell }
        };
        Cells { cells: vt.row_cells(row).map(turned).collect() }
    }

    fn hash(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.cells.hash(&mut hasher);
        hasher.finish()
    }

    /// Paints the row; `clean` says that the viewer's row is blank already.
    fn paint(&self, row: u16, clean: bool, out: &mut String) {
        let plain = |cell: &CellRef<'_>| cell.text.is_empty() && cell.style.is_default() && cell.width == 1;
        let used = self.cells.iter().rposition(|cell| !plain(cell)).map_or(0, |last| last + 1);
        if clean && used == 0 {
            return;
        }
        place(out, row, 0);
        let mut style = Style::default();
        for (col, cell) in (0..).zip(self.cells.iter().take(used)) {
            if cell.width == 0 {
                continue;
            }
            if cell.style != style {
                style = cell.style;
                out.push_str(&style.sgr());
            }
            if is_ascii(cell) {
                out.push_str(if cell.text.is_empty() { " " } else { cell.text });
                continue;
            }
            let simple = cell.width == 1 && cell.text.chars().nth(1).is_none();
            if !simple {
                // Should the viewer think it narrower, nothing old shows beside it.
                let _ = write!(out, "\x1b[{}X", cell.width);
            }
            out.push_str(cell.text);
            let next = col + u16::from(cell.width);
            if usize::from(next) < self.cells.len() {
                place(out, row, next);
            }
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        // In the last column the viewer waits to wrap, and an erase would hit that cell.
        if used < self.cells.len() && !clean {
            out.push_str("\x1b[K");
        }
    }
}

fn is_ascii(cell: &CellRef<'_>) -> bool {
    cell.width == 1 && cell.text.len() <= 1
}

fn place(out: &mut String, row: u16, col: u16) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\x1b[{};{}H", row + 1, col + 1);
}

impl CursorLook {
    fn of(vt: &Vt) -> CursorLook {
        let cursor = vt.cursor();
        CursorLook { row: cursor.row, col: cursor.col, visible: cursor.visible, code: vt.term.cursor_code }
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

/// FNV-1a: rows are compared with their own past, so nothing stronger is needed.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
