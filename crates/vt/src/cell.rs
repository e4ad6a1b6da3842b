use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthChar;

use crate::style::{ALL_ATTRS, Style};

/// The longest cluster a cell holds; what a program piles up beyond it is dropped.
pub(crate) const MAX_CLUSTER: usize = 32;

/// The cell beyond the written part of a row.
pub(crate) static BLANK: Cell =
    Cell { base: [0; 4], kind: CellKind::Narrow, style: DEFAULT_STYLE, cluster: None };

const DEFAULT_STYLE: Style = Style {
    fg: crate::Color::Default,
    bg: crate::Color::Default,
    underline_color: crate::Color::Default,
    underline: crate::UnderlineStyle::None,
    attrs: 0,
};

/// One cell: a printed space and an erased cell are the same thing, an empty text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    /// UTF-8 of the first character, padded with zeros.
    base: [u8; 4],
    pub(crate) kind: CellKind,
    pub(crate) style: Style,
    /// The whole text, once something was combined with the first character.
    cluster: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CellKind {
    Narrow,
    /// Left half of a wide character.
    Wide,
    /// Right half of a wide character.
    Right,
    /// A last column left empty because a wide character did not fit: no part of the line's text.
    Filler,
}

impl Cell {
    pub(crate) fn blank(style: Style) -> Cell {
        Cell { base: [0; 4], kind: CellKind::Narrow, style, cluster: None }
    }

    pub(crate) fn ascii(byte: u8, style: Style) -> Cell {
        let first = if byte == b' ' { 0 } else { byte };
        Cell { base: [first, 0, 0, 0], kind: CellKind::Narrow, style, cluster: None }
    }

    pub(crate) fn char(c: char, wide: bool, style: Style) -> Cell {
        let mut base = [0; 4];
        if c != ' ' {
            c.encode_utf8(&mut base);
        }
        let kind = if wide { CellKind::Wide } else { CellKind::Narrow };
        Cell { base, kind, style, cluster: None }
    }

    pub(crate) fn of_kind(kind: CellKind, style: Style) -> Cell {
        Cell { base: [0; 4], kind, style, cluster: None }
    }

    pub(crate) fn text(&self) -> &str {
        if let Some(cluster) = &self.cluster {
            return cluster;
        }
        let len = match self.base[0] {
            0 => 0,
            1..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        core::str::from_utf8(self.base.get(..len).unwrap_or_default()).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.base[0] == 0 && self.cluster.is_none()
    }

    /// Nothing to see at all: no text and no style.
    pub(crate) fn is_plain_blank(&self) -> bool {
        self.is_empty() && self.style.is_default()
    }

    /// Joins a character of no width of its own to this cell.
    pub(crate) fn combine(&mut self, c: char) {
        let old = if self.is_empty() { " " } else { self.text() };
        if old.len() + c.len_utf8() > MAX_CLUSTER {
            return;
        }
        let mut joined = String::with_capacity(old.len() + c.len_utf8());
        joined.push_str(old);
        joined.push(c);
        self.cluster = Some(joined.into_boxed_str());
    }

    /// Whether every part is as the engine itself would have made it.
    pub(crate) fn is_sound(&self) -> bool {
        let text = self.text();
        let mut chars = text.chars();
        let first = chars.next();
        let base_matches = match first {
            None => self.base == [0; 4] && self.cluster.is_none(),
            Some(' ') => self.base == [0; 4] && self.cluster.is_some(),
            Some(c) => {
                let mut base = [0; 4];
                c.encode_utf8(&mut base);
                self.base == base
            }
        };
        let width = first.map(|c| char_width(c).unwrap_or(9));
        let kind_matches = match self.kind {
            CellKind::Narrow => matches!(width, None | Some(1)),
            CellKind::Wide => width == Some(2),
            CellKind::Right | CellKind::Filler => width.is_none(),
        };
        base_matches
            && kind_matches
            && chars.all(|c| char_width(c) == Some(0))
            && text.len() <= MAX_CLUSTER
            && self.style.attrs & !ALL_ATTRS == 0
    }
}

/// Columns a character takes: 0, 1 or 2; nothing for control characters.
pub(crate) fn char_width(c: char) -> Option<u8> {
    match c {
        ' '..='~' => Some(1),
        // Programs and the C library give the soft hyphen a column.
        '\u{ad}' => Some(1),
        _ => c.width().map(|w| w.min(2) as u8),
    }
}
