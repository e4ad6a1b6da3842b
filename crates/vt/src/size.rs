use serde::{Deserialize, Serialize};

/// The size of the screen in cells; the engine clamps it to 2..=2000 columns and 1..=2000 rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Cells in a row.
    pub cols: u16,
    /// Rows on the screen.
    pub rows: u16,
}

impl Size {
    /// The lower bound leaves room for a wide character; the upper bound limits memory.
    pub(crate) fn clamped(self) -> Size {
        Size { cols: self.cols.clamp(2, 2000), rows: self.rows.clamp(1, 2000) }
    }

    pub(crate) fn is_valid(self) -> bool {
        self == self.clamped()
    }
}

impl Default for Size {
    fn default() -> Self {
        Size { cols: 80, rows: 24 }
    }
}

/// The options of a new terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The initial size of the screen.
    pub size: Size,
    /// How many logical lines the history keeps.
    pub history_lines: usize,
    /// How many bytes the history may hold, regardless of the line count.
    pub history_bytes: usize,
    /// What the program may do besides drawing.
    pub allow: Allow,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            size: Size::default(),
            history_lines: 10_000,
            history_bytes: 8 << 20,
            allow: Allow::default(),
        }
    }
}

/// Permissions for output that can affect the viewer: it can make the terminal send replies that look
/// typed, or change the size. All are off by default, because printing a file is output, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allow {
    /// The program may query the title (CSI 20 t, CSI 21 t).
    pub title: bool,
    /// The program may read the clipboard text that was set through this terminal (OSC 52).
    pub clipboard: bool,
    /// The program may query checksums of the screen (DECRQCRA).
    pub checksum: bool,
    /// The program may change the size: 132 columns (DECCOLM), CSI 4 t, CSI 8 t.
    pub resize: bool,
}

impl Allow {
    /// All permissions, for a terminal that runs only the program it was created for.
    pub const ALL: Allow = Allow { title: true, clipboard: true, checksum: true, resize: true };
}
