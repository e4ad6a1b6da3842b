//! The terminal behind the parser: what each piece of text and each sequence does to the screen.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::effect::{Effect, EffectKind, Effects};
use crate::grid::attributes::Attributes;
use crate::grid::cell::StyleId;
use crate::grid::row::Row;
use crate::grid::screen::Screen;
use crate::grid::tables::Tables;
use crate::history::History;
use crate::history::alternate::AlternateHistory;
use crate::input::protocol::Keyboard;
use crate::{Allow, LineId, Modes, Options, Position, Size};

mod charset;
mod checksum;
mod color;
mod csi;
mod cursor;
mod device;
mod edit;
mod esc;
mod keyboard;
mod mode;
mod osc;
mod pen;
mod print;
mod report;
mod reset;
mod resize;
mod scroll;
mod sgr;
mod title;

use charset::Charset;
pub(crate) use color::Colors;
pub(crate) use report::{CELL_HEIGHT, CELL_WIDTH};
use title::Titles;

/// The most bytes kept of a title, a directory or a mark's parameters.
pub(crate) const MAX_LABEL: usize = 4096;

/// Both screens, the history and everything that sequences change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Term {
    pub(crate) size: Size,
    /// Bytes processed, including the current one.
    pub(crate) seq: u64,
    /// The primary and the alternate screen.
    pub(crate) screens: [Screen; 2],
    pub(crate) tables: Tables,
    pub(crate) cursor: Pen,
    /// The saved cursors (DECSC) of the primary and the alternate screen.
    pub(crate) saved: [Pen; 2],
    /// First and last row of the scroll region.
    pub(crate) top: u16,
    pub(crate) bottom: u16,
    pub(crate) tabs: Vec<bool>,
    pub(crate) modes: Modes,
    pub(crate) switches: Switches,
    /// The keyboard flags of the primary and the alternate screen.
    pub(crate) keyboards: [Keyboard; 2],
    /// DECSCUSR's number, 0 for the viewer's default.
    pub(crate) cursor_code: u8,
    pub(crate) history: History,
    #[serde(rename = "kept")]
    pub(crate) alternate_history: AlternateHistory,
    /// The next unused line id.
    pub(crate) next_line: u64,
    pub(crate) titles: Titles,
    pub(crate) directory: Option<String>,
    pub(crate) colors: Colors,
    /// The last clipboard text, kept only if the program may read it.
    pub(crate) clipboard: String,
    /// The address of the current hyperlink.
    pub(crate) link: Option<Box<str>>,
    /// The character that REP repeats.
    pub(crate) last_char: Option<char>,
    /// The last printed character, which the next one might join. `None` after anything but text and
    /// styles.
    previous: Option<char>,
    pub(crate) allow: Allow,
    /// A copy from before the frame that is being drawn (synchronized output).
    pub(crate) frame: Option<Box<Term>>,
    /// The pen's index in the table of styles, once something was printed with it.
    #[serde(skip)]
    pen_style: Option<StyleId>,
    /// The style of erased cells.
    #[serde(skip)]
    erase_style: Option<StyleId>,
    /// How often the size changed, so that painters detect it: a cropped row keeps its line and stamp.
    #[serde(skip)]
    pub(crate) layouts: u64,
    #[serde(skip)]
    pub(crate) effects: Effects,
}

/// The cursor and what DECSC saves with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pen {
    pub(crate) row: u16,
    pub(crate) col: u16,
    /// The last column was written, so the next character wraps first.
    pub(crate) pending_wrap: bool,
    pub(crate) look: Attributes,
    pub(crate) charsets: [Charset; 4],
    /// Which of the four is in use (SI, SO, LS2, LS3).
    pub(crate) active: u8,
    pub(crate) origin: bool,
}

/// Modes that matter only inside the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Switches {
    pub(crate) insert: bool,
    pub(crate) autowrap: bool,
    pub(crate) cursor_visible: bool,
    pub(crate) alternate_scroll: bool,
    /// Characters join into grapheme clusters (2027).
    pub(crate) clusters: bool,
    /// Moving left from the first column continues in the row above (45, 1045).
    pub(crate) reverse_wrap: bool,
    pub(crate) reverse_wrap_all: bool,
    /// A tab in the last column wraps first (41).
    pub(crate) tab_wraps: bool,
    /// DECCOLM is enabled (40); DECCOLM does not clear the screen (95).
    pub(crate) columns_allowed: bool,
    pub(crate) columns_keep: bool,
    pub(crate) columns_132: bool,
    /// Which erases spare protected cells.
    pub(crate) protection: Protection,
    /// The character set for the next character only (SS2, SS3); 0 for none.
    pub(crate) single_shift: u8,
    /// SRM and KAM, which are stored but have no effect.
    pub(crate) local_echo_off: bool,
    pub(crate) keyboard_locked: bool,
}

/// The kinds of protection; the one used last applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Protection {
    #[default]
    Off,
    /// SPA and EPA: all erases spare the cells.
    Iso,
    /// DECSCA: selective erases spare the cells.
    Dec,
}

impl Switches {
    pub(crate) fn new(allow: Allow) -> Switches {
        Switches {
            insert: false,
            autowrap: true,
            cursor_visible: true,
            alternate_scroll: false,
            clusters: true,
            reverse_wrap: false,
            reverse_wrap_all: false,
            tab_wraps: false,
            // A program with permission to resize does not have to set mode 40 first.
            columns_allowed: allow.resize,
            columns_keep: false,
            columns_132: false,
            protection: Protection::Off,
            single_shift: 0,
            local_echo_off: true,
            keyboard_locked: false,
        }
    }
}

impl Term {
    pub(crate) fn new(options: Options) -> Term {
        let size = options.size.clamped();
        let rows = u64::from(size.rows);
        Term {
            size,
            seq: 0,
            // The primary screen gets the higher ids, so that its lines are numbered without a gap and dropped
            // lines can be counted.
            screens: [Screen::new(size.rows, 1 + rows), Screen::new(size.rows, 1)],
            tables: Tables::default(),
            cursor: Pen::default(),
            saved: [Pen::default(); 2],
            top: 0,
            bottom: size.rows - 1,
            tabs: default_tabs(size.cols),
            modes: Modes::default(),
            switches: Switches::new(options.allow),
            keyboards: [Keyboard::default(); 2],
            cursor_code: 0,
            history: History::new(options.history_lines, options.history_bytes),
            alternate_history: AlternateHistory::default(),
            next_line: 1 + 2 * rows,
            titles: Titles::default(),
            directory: None,
            colors: Colors::default(),
            clipboard: String::new(),
            link: None,
            last_char: None,
            previous: None,
            allow: options.allow,
            frame: None,
            pen_style: None,
            erase_style: None,
            layouts: 0,
            effects: Effects::default(),
        }
    }

    pub(crate) fn cols(&self) -> usize {
        usize::from(self.size.cols)
    }

    pub(crate) fn last_row(&self) -> u16 {
        self.size.rows - 1
    }

    /// The current screen.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screens[usize::from(self.modes.alt_screen)]
    }

    pub(crate) fn screen_mut(&mut self) -> &mut Screen {
        &mut self.screens[usize::from(self.modes.alt_screen)]
    }

    pub(crate) fn primary(&self) -> &Screen {
        &self.screens[0]
    }

    /// The cursor's row for a change, with a new stamp.
    pub(crate) fn touch_cursor_row(&mut self) -> &mut Row {
        let (row, seq) = (usize::from(self.cursor.row), self.seq);
        let row = self.screen_mut().row_mut(row);
        row.stamp = seq;
        row
    }

    pub(crate) fn fresh_line(&mut self) -> LineId {
        let id = LineId(self.next_line);
        self.next_line += 1;
        id
    }

    pub(crate) fn position(&self) -> Position {
        let row = self.screen().row(usize::from(self.cursor.row));
        let cell = u32::from(self.cursor.col) + u32::from(self.cursor.pending_wrap);
        Position { line: row.line, cell: row.start.saturating_add(cell) }
    }

    /// The seq of the last change to the cursor's row.
    pub(crate) fn cursor_stamp(&self) -> u64 {
        self.screen().row(usize::from(self.cursor.row)).stamp
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
