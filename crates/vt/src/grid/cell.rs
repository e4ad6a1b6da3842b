use serde::{Deserialize, Serialize};

use crate::state::Packed;

/// One cell in eight bytes: its content and its style.
///
/// A printed space and an erased cell are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// A code point or a cluster index, a flag that tells which, and the [`Kind`].
    glyph: u32,
    pub(crate) style: StyleId,
}

/// An index into the table of styles; 0 is the default style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct StyleId(pub(crate) u32);

/// How a cell relates to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Narrow,
    /// Left half of a wide cluster.
    Wide,
    /// Right half of a wide cluster.
    Right,
    /// The last column, left empty because a wide cluster did not fit; not part of the line's text.
    Filler,
}

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glyph {
    Char(char),
    /// An index into the table of clusters.
    Cluster(u32),
}

const VALUE: u32 = (1 << 28) - 1;
const CLUSTER: u32 = 1 << 28;
const KIND_SHIFT: u32 = 30;
const SPACE: u32 = b' ' as u32;
const WIDE: u32 = 1 << KIND_SHIFT;
const RIGHT: u32 = 2 << KIND_SHIFT;
const FILLER: u32 = 3 << KIND_SHIFT;

impl Packed<8> for Cell {
    fn pack(&self) -> [u8; 8] {
        (u64::from(self.style.0) << 32 | u64::from(self.glyph)).to_le_bytes()
    }

    fn unpack(bytes: &[u8; 8]) -> Cell {
        let both = u64::from_le_bytes(*bytes);
        Cell { glyph: both as u32, style: StyleId((both >> 32) as u32) }
    }
}

impl Cell {
    /// The cell beyond the written part of a row.
    pub(crate) const BLANK: Cell = Cell::blank(StyleId(0));

    pub(crate) const fn blank(style: StyleId) -> Cell {
        Cell { glyph: SPACE, style }
    }

    pub(crate) fn ascii(byte: u8, style: StyleId) -> Cell {
        Cell { glyph: u32::from(byte), style }
    }

    pub(crate) fn new(glyph: Glyph, wide: bool, style: StyleId) -> Cell {
        let value = match glyph {
            Glyph::Char(c) => u32::from(c),
            Glyph::Cluster(index) => index & VALUE | CLUSTER,
        };
        Cell { glyph: if wide { value | WIDE } else { value }, style }
    }

    pub(crate) fn right(style: StyleId) -> Cell {
        Cell { glyph: SPACE | RIGHT, style }
    }

    pub(crate) fn filler(style: StyleId) -> Cell {
        Cell { glyph: SPACE | FILLER, style }
    }

    pub(crate) fn with_style(self, style: StyleId) -> Cell {
        Cell { style, ..self }
    }

    pub(crate) fn kind(self) -> Kind {
        match self.glyph >> KIND_SHIFT {
            0 => Kind::Narrow,
            1 => Kind::Wide,
            2 => Kind::Right,
            _ => Kind::Filler,
        }
    }

    pub(crate) fn glyph(self) -> Glyph {
        match self.cluster() {
            Some(index) => Glyph::Cluster(index),
            None => Glyph::Char(char::from_u32(self.glyph & VALUE).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    pub(crate) fn cluster(self) -> Option<u32> {
        (self.glyph & CLUSTER != 0).then_some(self.glyph & VALUE)
    }

    /// Whether it is a single ASCII character, not half of a wide cluster.
    pub(crate) fn is_ascii(self) -> bool {
        self.glyph < 0x80
    }

    /// The character of a cell that is known to be ASCII.
    pub(crate) fn byte(self) -> u8 {
        self.glyph as u8
    }

    pub(crate) fn set_cluster(&mut self, index: u32) {
        self.glyph = self.glyph & !VALUE | index & VALUE | CLUSTER;
    }

    /// Whether it has no text.
    pub(crate) fn is_empty(self) -> bool {
        self.glyph & (VALUE | CLUSTER) == SPACE
    }

    /// Whether it has no text, no style, and is not half of a wide cluster.
    pub(crate) fn is_plain_blank(self) -> bool {
        self == Cell::BLANK
    }

    /// A blank in the same style.
    pub(crate) fn to_blank(self) -> Cell {
        Cell::blank(self.style)
    }

    /// Whether the engine could have produced these bits.
    pub(crate) fn is_sound(self) -> bool {
        let known = self.glyph & (VALUE | CLUSTER | FILLER) == self.glyph;
        let shown = match (self.kind(), self.cluster()) {
            (Kind::Right | Kind::Filler, _) => self.is_empty(),
            (Kind::Narrow | Kind::Wide, Some(_)) => true,
            (Kind::Narrow | Kind::Wide, None) => {
                char::from_u32(self.glyph & VALUE).is_some_and(|c| !c.is_control())
            }
        };
        known && shown
    }
}
