//! The terminal behind the parser: what each piece of text and each sequence does to the screen.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::effect::{Effect, EffectKind, Effects};
use crate::history::History;
use crate::row::Row;
use crate::style::Style;
use crate::{LineId, Modes, Options, Position, Size};

mod csi;
mod cursor;
mod device;
mod edit;
mod esc;
mod mode;
mod osc;
mod print;
mod report;
mod resize;
mod scroll;
mod sgr;

pub(crate) use report::{CELL_HEIGHT, CELL_WIDTH};

/// The most bytes of a title, a directory or a mark's parameters that are kept.
pub(crate) const MAX_LABEL: usize = 4096;

/// Both screens, the history and everything that sequences change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Term {
    pub(crate) size: Size,
    /// Bytes processed, up to and including the one being worked on.
    pub(crate) seq: u64,
    pub(crate) primary: VecDeque<Row>,
    pub(crate) alternate: VecDeque<Row>,
    pub(crate) cursor: Pen,
    /// The saved cursors (DECSC) of the primary and the alternate screen.
    pub(crate) saved: [Pen; 2],
    /// First and last row of the scroll region.
    pub(crate) top: u16,
    pub(crate) bottom: u16,
    pub(crate) tabs: Vec<bool>,
    pub(crate) modes: Modes,
    pub(crate) switches: Switches,
    /// DECSCUSR's number, 0 for the viewer's default.
    pub(crate) cursor_code: u8,
    pub(crate) history: History,
    /// The next line id to give out.
    pub(crate) next_line: u64,
    pub(crate) title: String,
    pub(crate) directory: Option<String>,
    /// For REP.
    pub(crate) last_char: Option<char>,
    #[serde(skip)]
    pub(crate) effects: Effects,
}

/// The cursor and what DECSC saves with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pen {
    pub(crate) row: u16,
    pub(crate) col: u16,
    /// The last column was written; the next character wraps first.
    pub(crate) pending_wrap: bool,
    pub(crate) style: Style,
    pub(crate) charsets: [Charset; 4],
    /// Which of the four is in use (SI, SO, LS2, LS3).
    pub(crate) active: u8,
    pub(crate) origin: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    British,
    Graphics,
}

/// Modes that only the engine itself cares about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Switches {
    pub(crate) insert: bool,
    pub(crate) autowrap: bool,
    pub(crate) cursor_visible: bool,
    pub(crate) alternate_scroll: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches { insert: false, autowrap: true, cursor_visible: true, alternate_scroll: false }
    }
}

impl Term {
    pub(crate) fn new(options: Options) -> Term {
        let size = options.size.clamped();
        let rows = u64::from(size.rows);
        let screen = |first: u64| (first..first + rows).map(|id| Row::new(LineId(id), 0)).collect();
        Term {
            size,
            seq: 0,
            primary: screen(1),
            alternate: screen(1 + rows),
            cursor: Pen::default(),
            saved: [Pen::default(); 2],
            top: 0,
            bottom: size.rows - 1,
            tabs: default_tabs(size.cols),
            modes: Modes::default(),
            switches: Switches::default(),
            cursor_code: 0,
            history: History::new(options.history_lines, options.history_bytes),
            next_line: 1 + 2 * rows,
            title: String::new(),
            directory: None,
            last_char: None,
            effects: Effects::default(),
        }
    }

    pub(crate) fn cols(&self) -> usize {
        usize::from(self.size.cols)
    }

    pub(crate) fn last_row(&self) -> u16 {
        self.size.rows - 1
    }

    /// The rows of the screen that is shown.
    pub(crate) fn screen(&self) -> &VecDeque<Row> {
        if self.modes.alt_screen { &self.alternate } else { &self.primary }
    }

    pub(crate) fn screen_mut(&mut self) -> &mut VecDeque<Row> {
        if self.modes.alt_screen { &mut self.alternate } else { &mut self.primary }
    }

    /// The cursor's row, to be changed: it is stamped.
    pub(crate) fn touch_cursor_row(&mut self) -> &mut Row {
        let (row, seq) = (usize::from(self.cursor.row), self.seq);
        let row = &mut self.screen_mut()[row];
        row.stamp = seq;
        row
    }

    pub(crate) fn fresh_line(&mut self) -> LineId {
        let id = LineId(self.next_line);
        self.next_line += 1;
        id
    }

    pub(crate) fn position(&self) -> Position {
        let row = &self.screen()[usize::from(self.cursor.row)];
        let cell = u32::from(self.cursor.col) + u32::from(self.cursor.pending_wrap);
        Position { line: row.line, cell: row.start.saturating_add(cell) }
    }

    pub(crate) fn effect(&mut self, kind: EffectKind) {
        self.effects.push(Effect { seq: self.seq, kind });
    }

    pub(crate) fn reply(&mut self, text: &str) {
        self.effect(EffectKind::Reply(text.as_bytes().to_vec()));
    }
}

pub(crate) fn default_tabs(cols: u16) -> Vec<bool> {
    (0..cols).map(|col| col % 8 == 0).collect()
}
