use serde::{Deserialize, Serialize};

/// How many cells the screen has; the engine clamps it to 2..=2000 columns and 1..=2000 rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Cells in a row.
    pub cols: u16,
    /// Rows on the screen.
    pub rows: u16,
}

impl Size {
    /// The bounds keep a wide character drawable and one screen's memory within reason.
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

/// What a new terminal is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The first size of the screen.
    pub size: Size,
    /// How many logical lines the history keeps.
    pub history_lines: usize,
    /// How many bytes the history may hold, whatever the line count.
    pub history_bytes: usize,
    /// What the program may do beyond showing things.
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

/// What output can do to the one who shows it: read something back as if it were typed, or change
/// the size. All of it is off unless it is allowed: a file that is only looked at is output too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allow {
    /// The title is told (CSI 20 t, CSI 21 t).
    pub title: bool,
    /// What was put into the clipboard is told (OSC 52).
    pub clipboard: bool,
    /// Sums of what the screen shows are told (DECRQCRA).
    pub checksum: bool,
    /// The program may change the size: 132 columns (DECCOLM), CSI 4 t, CSI 8 t.
    pub resize: bool,
}

impl Allow {
    /// All of it: for a terminal that holds nothing but the one program that it was made for.
    pub const ALL: Allow = Allow { title: true, clipboard: true, checksum: true, resize: true };
}
