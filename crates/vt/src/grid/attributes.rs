use serde::{Deserialize, Serialize};

use crate::state::Packed;
use crate::{Color, Style, UnderlineStyle};

/// Everything a cell has besides its text: its style, its link and its protection.
///
/// Packed into two words, because attributes are compared and looked up at every change of style. Saved states call
/// them `look` and `looks`, which was their name when the format was defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Attributes {
    /// Foreground and background, 26 bits each.
    colors: u64,
    /// Underline colour, style bits, kind of underline, link, protection.
    rest: u64,
}

const COLOR: u64 = (1 << 26) - 1;
const BG: u32 = 26;
const ATTRS: u32 = 26;
const UNDERLINE: u32 = 34;
const LINK: u32 = 40;
const PROTECTED: u64 = 1 << 56;

impl Packed<16> for Attributes {
    fn pack(&self) -> [u8; 16] {
        (u128::from(self.rest) << 64 | u128::from(self.colors)).to_le_bytes()
    }

    fn unpack(bytes: &[u8; 16]) -> Attributes {
        let both = u128::from_le_bytes(*bytes);
        Attributes { colors: both as u64, rest: (both >> 64) as u64 }
    }
}

impl Attributes {
    pub(crate) fn style(self) -> Style {
        Style {
            fg: unpack(self.colors & COLOR),
            bg: unpack(self.colors >> BG & COLOR),
            underline_color: unpack(self.rest & COLOR),
            underline: match self.rest >> UNDERLINE & 7 {
                1 => UnderlineStyle::Single,
                2 => UnderlineStyle::Double,
                3 => UnderlineStyle::Curly,
                4 => UnderlineStyle::Dotted,
                5 => UnderlineStyle::Dashed,
                _ => UnderlineStyle::None,
            },
            attrs: (self.rest >> ATTRS & 0xff) as u16,
        }
    }

    pub(crate) fn set_fg(&mut self, color: Color) {
        self.colors = self.colors & !COLOR | pack(color);
    }

    pub(crate) fn set_bg(&mut self, color: Color) {
        self.colors = self.colors & !(COLOR << BG) | pack(color) << BG;
    }

    pub(crate) fn set_underline_color(&mut self, color: Color) {
        self.rest = self.rest & !COLOR | pack(color);
    }

    pub(crate) fn set_underline(&mut self, kind: UnderlineStyle) {
        self.rest = self.rest & !(7 << UNDERLINE) | (kind as u64) << UNDERLINE;
    }

    /// Sets or clears style bits of [`Style`].
    pub(crate) fn set(&mut self, attrs: u16, on: bool) {
        let bits = u64::from(attrs & 0xff) << ATTRS;
        self.rest = if on { self.rest | bits } else { self.rest & !bits };
    }

    /// SGR 0: resets everything except the protection, which SGR never changes.
    pub(crate) fn reset(&mut self) {
        *self = Attributes { colors: 0, rest: self.rest & PROTECTED };
    }

    /// The attributes of an erased cell: only the background (xterm's "bce").
    pub(crate) fn erased(self) -> Attributes {
        Attributes { colors: self.colors & COLOR << BG, rest: 0 }
    }

    /// An index into the table of links; 0 is none.
    pub(crate) fn link(self) -> u16 {
        (self.rest >> LINK) as u16
    }

    pub(crate) fn with_link(self, link: u16) -> Attributes {
        Attributes { rest: self.rest & !(0xffff << LINK) | u64::from(link) << LINK, ..self }
    }

    /// Whether SPA or DECSCA protects the cell from some erases.
    pub(crate) fn protected(self) -> bool {
        self.rest & PROTECTED != 0
    }

    pub(crate) fn with_protection(self, on: bool) -> Attributes {
        Attributes { rest: if on { self.rest | PROTECTED } else { self.rest & !PROTECTED }, ..self }
    }

    pub(crate) fn hash(self) -> u64 {
        let mixed =
            self.colors.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.rest.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        // The high bits of a product depend on all input bits.
        mixed >> 32 ^ mixed >> 15
    }

    /// Whether the setters could have produced these bits.
    pub(crate) fn is_sound(self) -> bool {
        let color = |bits: u64| bits == pack(unpack(bits));
        color(self.colors & COLOR)
            && color(self.colors >> BG & COLOR)
            && self.colors >> (2 * BG) == 0
            && color(self.rest & COLOR)
            && self.rest >> UNDERLINE & 7 <= 5
            && self.rest >> (UNDERLINE + 3) & 7 == 0
            && self.rest >> 57 == 0
    }
}

fn pack(color: Color) -> u64 {
    match color {
        Color::Default => 0,
        Color::Indexed(index) => 1 << 24 | u64::from(index),
        Color::Rgb(r, g, b) => 2 << 24 | u64::from(r) << 16 | u64::from(g) << 8 | u64::from(b),
    }
}

fn unpack(bits: u64) -> Color {
    match bits >> 24 {
        1 => Color::Indexed(bits as u8),
        2 => Color::Rgb((bits >> 16) as u8, (bits >> 8) as u8, bits as u8),
        _ => Color::Default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_attributes_return_the_values_set() {
        let mut look = Attributes::default().with_link(65535).with_protection(true);
        look.set_fg(Color::Rgb(1, 2, 3));
        look.set_bg(Color::Indexed(255));
        look.set_underline_color(Color::Rgb(255, 254, 253));
        look.set_underline(UnderlineStyle::Dashed);
        look.set(0xff, true);
        look.set(crate::grid::style::ITALIC, false);
        assert!(look.is_sound() && look.protected());
        assert_eq!(look.link(), 65535);
        let style = look.style();
        assert_eq!(style.fg, Color::Rgb(1, 2, 3));
        assert_eq!(style.bg, Color::Indexed(255));
        assert_eq!(style.underline_color, Color::Rgb(255, 254, 253));
        assert_eq!(style.underline, UnderlineStyle::Dashed);
        assert!(style.bold() && !style.italic() && style.overline());
        assert_eq!(look.erased().style(), Style { bg: Color::Indexed(255), ..Style::default() });
        look.reset();
        assert_eq!(look, Attributes::default().with_protection(true));
    }
}
