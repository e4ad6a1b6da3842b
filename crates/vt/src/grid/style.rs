use alloc::string::String;
use core::fmt::Write;

use serde::{Deserialize, Serialize};

/// How a cell looks, apart from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Style {
    /// Colour of the text.
    pub fg: Color,
    /// Colour behind the text.
    pub bg: Color,
    /// Colour of the underline; the default is the colour of the text.
    pub underline_color: Color,
    /// Kind of underline.
    pub underline: UnderlineStyle,
    pub(crate) attrs: u16,
}

/// A colour as the program specified it; the viewer's palette decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Color {
    /// The viewer's default.
    #[default]
    Default,
    /// One of xterm's 256 colours.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl Color {
    /// Red, green and blue in xterm's palette; `None` for the viewer's default.
    pub fn rgb(self) -> Option<(u8, u8, u8)> {
        match self {
            Color::Default => None,
            Color::Indexed(index) => Some(palette(index)),
            Color::Rgb(r, g, b) => Some((r, g, b)),
        }
    }
}

/// The kinds of underline (SGR 4:n).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum UnderlineStyle {
    /// No underline.
    #[default]
    None,
    /// One line.
    Single,
    /// Two lines.
    Double,
    /// A wave, as under misspelt words.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

pub(crate) const BOLD: u16 = 1;
pub(crate) const DIM: u16 = 1 << 1;
pub(crate) const ITALIC: u16 = 1 << 2;
pub(crate) const BLINK: u16 = 1 << 3;
pub(crate) const INVERSE: u16 = 1 << 4;
pub(crate) const HIDDEN: u16 = 1 << 5;
pub(crate) const STRIKE: u16 = 1 << 6;
pub(crate) const OVERLINE: u16 = 1 << 7;

impl Style {
    /// The style before any SGR.
    pub(crate) const PLAIN: Style = Style {
        fg: Color::Default,
        bg: Color::Default,
        underline_color: Color::Default,
        underline: UnderlineStyle::None,
        attrs: 0,
    };

    /// Whether the text is bold.
    pub fn bold(&self) -> bool {
        self.has(BOLD)
    }

    /// Whether the text is faint.
    pub fn dim(&self) -> bool {
        self.has(DIM)
    }

    /// Whether the text is italic.
    pub fn italic(&self) -> bool {
        self.has(ITALIC)
    }

    /// Whether the text blinks.
    pub fn blink(&self) -> bool {
        self.has(BLINK)
    }

    /// Whether foreground and background are swapped.
    pub fn inverse(&self) -> bool {
        self.has(INVERSE)
    }

    /// Whether the text is hidden.
    pub fn hidden(&self) -> bool {
        self.has(HIDDEN)
    }

    /// Whether the text is crossed out.
    pub fn strike(&self) -> bool {
        self.has(STRIKE)
    }

    /// Whether there is a line above the text.
    pub fn overline(&self) -> bool {
        self.has(OVERLINE)
    }

    /// The SGR sequence that sets this style regardless of the previous one (it starts with a reset).
    pub fn sgr(&self) -> String {
        let mut out = String::from("\x1b[");
        self.write_parameters(&mut out);
        out.push('m');
        out
    }

    /// Writes only the parameters, for [`Style::sgr`] and for the reply to DECRQSS.
    pub(crate) fn write_parameters(&self, out: &mut String) {
        out.push('0');
        const CODES: [(u16, &str); 8] = [
            (BOLD, ";1"),
            (DIM, ";2"),
            (ITALIC, ";3"),
            (BLINK, ";5"),
            (INVERSE, ";7"),
            (HIDDEN, ";8"),
            (STRIKE, ";9"),
            (OVERLINE, ";53"),
        ];
        for (bit, code) in CODES {
            if self.has(bit) {
                out.push_str(code);
            }
        }
        out.push_str(match self.underline {
            UnderlineStyle::None => "",
            UnderlineStyle::Single => ";4",
            UnderlineStyle::Double => ";4:2",
            UnderlineStyle::Curly => ";4:3",
            UnderlineStyle::Dotted => ";4:4",
            UnderlineStyle::Dashed => ";4:5",
        });
        write_color(out, self.fg, 30, 90, 38);
        write_color(out, self.bg, 40, 100, 48);
        // With colons, a terminal that does not know 58 skips the arguments instead of applying them.
        let _ = match self.underline_color {
            Color::Default => Ok(()),
            Color::Indexed(n) => write!(out, ";58:5:{n}"),
            Color::Rgb(r, g, b) => write!(out, ";58:2::{r}:{g}:{b}"),
        };
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Style::PLAIN
    }

    fn has(&self, bit: u16) -> bool {
        self.attrs & bit != 0
    }
}

fn write_color(out: &mut String, color: Color, base: u16, bright: u16, extended: u16) {
    // Writing to a String cannot fail.
    let _ = match color {
        Color::Default => Ok(()),
        Color::Indexed(n @ 0..=7) => write!(out, ";{}", base + u16::from(n)),
        Color::Indexed(n @ 8..=15) => write!(out, ";{}", bright + u16::from(n) - 8),
        Color::Indexed(n) => write!(out, ";{extended};5;{n}"),
        Color::Rgb(r, g, b) => write!(out, ";{extended};2;{r};{g};{b}"),
    };
}

/// xterm's 256 colours.
pub(crate) fn palette(index: u8) -> (u8, u8, u8) {
    const BASE: [(u8, u8, u8); 16] = [
        (0x00, 0x00, 0x00),
        (0xcd, 0x00, 0x00),
        (0x00, 0xcd, 0x00),
        (0xcd, 0xcd, 0x00),
        (0x00, 0x00, 0xee),
        (0xcd, 0x00, 0xcd),
        (0x00, 0xcd, 0xcd),
        (0xe5, 0xe5, 0xe5),
        (0x7f, 0x7f, 0x7f),
        (0xff, 0x00, 0x00),
        (0x00, 0xff, 0x00),
        (0xff, 0xff, 0x00),
        (0x5c, 0x5c, 0xff),
        (0xff, 0x00, 0xff),
        (0x00, 0xff, 0xff),
        (0xff, 0xff, 0xff),
    ];
    let cube = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
    match index {
        0..16 => BASE[usize::from(index)],
        16..232 => {
            let n = index - 16;
            (cube(n / 36), cube(n / 6 % 6), cube(n % 6))
        }
        232.. => {
            let gray = 8 + 10 * (index - 232);
            (gray, gray, gray)
        }
    }
}
