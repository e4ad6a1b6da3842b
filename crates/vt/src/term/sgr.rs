use crate::params::Params;
use crate::style::{BLINK, BOLD, DIM, HIDDEN, INVERSE, ITALIC, OVERLINE, STRIKE};
use crate::{Color, Style, UnderlineStyle};

/// Select Graphic Rendition (ECMA-48 8.3.117, with ISO 8613-6's colours and kitty's underlines).
pub(super) fn apply(style: &mut Style, params: &Params) {
    if params.is_empty() {
        *style = Style::default();
    }
    let mut groups = params.groups();
    while let Some(group) = groups.next() {
        match group {
            [code @ (38 | 48 | 58)] => {
                // The colour follows in parameters of its own.
                let mut next = || groups.next().and_then(|g| g.first().copied());
                let color = match next() {
                    Some(5) => next().and_then(indexed),
                    Some(2) => rgb(next(), next(), next()),
                    _ => None,
                };
                set_color(style, *code, color);
            }
            [code @ (38 | 48 | 58), 5, index, ..] => set_color(style, *code, indexed(*index)),
            // With a colour space (usually empty), or without, as many programs write it.
            [code @ (38 | 48 | 58), 2, _, r, g, b, ..] | [code @ (38 | 48 | 58), 2, r, g, b] => {
                set_color(style, *code, rgb(Some(*r), Some(*g), Some(*b)));
            }
            [4, kind, ..] => style.underline = underline(*kind).unwrap_or(style.underline),
            [code] => apply_one(style, *code),
            _ => {}
        }
    }
}

fn apply_one(style: &mut Style, code: u16) {
    match code {
        0 => *style = Style::default(),
        1 => style.set(BOLD, true),
        2 => style.set(DIM, true),
        3 => style.set(ITALIC, true),
        4 => style.underline = UnderlineStyle::Single,
        5 | 6 => style.set(BLINK, true),
        7 => style.set(INVERSE, true),
        8 => style.set(HIDDEN, true),
        9 => style.set(STRIKE, true),
        21 => style.underline = UnderlineStyle::Double,
        22 => style.set(BOLD | DIM, false),
        23 => style.set(ITALIC, false),
        24 => style.underline = UnderlineStyle::None,
        25 => style.set(BLINK, false),
        27 => style.set(INVERSE, false),
        28 => style.set(HIDDEN, false),
        29 => style.set(STRIKE, false),
        30..=37 => style.fg = Color::Indexed((code - 30) as u8),
        39 => style.fg = Color::Default,
        40..=47 => style.bg = Color::Indexed((code - 40) as u8),
        49 => style.bg = Color::Default,
        53 => style.set(OVERLINE, true),
        55 => style.set(OVERLINE, false),
        59 => style.underline_color = Color::Default,
        90..=97 => style.fg = Color::Indexed((code - 90 + 8) as u8),
        100..=107 => style.bg = Color::Indexed((code - 100 + 8) as u8),
        _ => {}
    }
}

fn set_color(style: &mut Style, code: u16, color: Option<Color>) {
    let Some(color) = color else { return };
    match code {
        38 => style.fg = color,
        48 => style.bg = color,
        _ => style.underline_color = color,
    }
}

fn indexed(index: u16) -> Option<Color> {
    u8::try_from(index).ok().map(Color::Indexed)
}

fn rgb(r: Option<u16>, g: Option<u16>, b: Option<u16>) -> Option<Color> {
    let part = |value: Option<u16>| value.and_then(|value| u8::try_from(value).ok());
    Some(Color::Rgb(part(r)?, part(g)?, part(b)?))
}

fn underline(kind: u16) -> Option<UnderlineStyle> {
    Some(match kind {
        0 => UnderlineStyle::None,
        1 => UnderlineStyle::Single,
        2 => UnderlineStyle::Double,
        3 => UnderlineStyle::Curly,
        4 => UnderlineStyle::Dotted,
        5 => UnderlineStyle::Dashed,
        _ => return None,
    })
}
