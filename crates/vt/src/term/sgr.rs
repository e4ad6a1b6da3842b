use crate::grid::attributes::Attributes;
use crate::grid::style::{BLINK, BOLD, DIM, HIDDEN, INVERSE, ITALIC, OVERLINE, STRIKE};
use crate::parse::params::Params;
use crate::{Color, UnderlineStyle};

/// Select Graphic Rendition (ECMA-48 8.3.117, with ISO 8613-6's colours and kitty's underlines).
pub(super) fn apply(look: &mut Attributes, params: &Params) {
    if !params.has_subs() {
        return apply_plain(look, params.values());
    }
    let mut groups = params.groups();
    while let Some(group) = groups.next() {
        match group {
            [code @ (38 | 48 | 58)] => {
                // The colour follows in separate parameters.
                let mut next = || groups.next().and_then(|g| g.first().copied());
                let color = match next() {
                    Some(5) => next().and_then(indexed),
                    Some(2) => rgb(next(), next(), next()),
                    _ => None,
                };
                set_color(look, *code, color);
            }
            [code @ (38 | 48 | 58), 5, index, ..] => set_color(look, *code, indexed(*index)),
            // With a colour space (usually empty), or without, which many programs omit.
            [code @ (38 | 48 | 58), 2, _, r, g, b, ..] | [code @ (38 | 48 | 58), 2, r, g, b] => {
                set_color(look, *code, rgb(Some(*r), Some(*g), Some(*b)));
            }
            [4, kind, ..] => {
                if let Some(kind) = underline(*kind) {
                    look.set_underline(kind);
                }
            }
            [code] => apply_one(look, *code),
            _ => {}
        }
    }
}

/// Without colons, as nearly all programs write it.
fn apply_plain(look: &mut Attributes, values: &[u16]) {
    let mut rest = values;
    if rest.is_empty() {
        look.reset();
    }
    while let [code, after @ ..] = rest {
        rest = after;
        match (*code, after) {
            (38 | 48 | 58, [5, index, later @ ..]) => {
                set_color(look, *code, indexed(*index));
                rest = later;
            }
            (38 | 48 | 58, [2, r, g, b, later @ ..]) => {
                set_color(look, *code, rgb(Some(*r), Some(*g), Some(*b)));
                rest = later;
            }
            // An incomplete colour uses up the remaining parameters.
            (38 | 48 | 58, [5 | 2, ..]) => return,
            (38 | 48 | 58, [_, later @ ..]) => rest = later,
            _ => apply_one(look, *code),
        }
    }
}

fn apply_one(look: &mut Attributes, code: u16) {
    match code {
        0 => look.reset(),
        1 => look.set(BOLD, true),
        2 => look.set(DIM, true),
        3 => look.set(ITALIC, true),
        4 => look.set_underline(UnderlineStyle::Single),
        5 | 6 => look.set(BLINK, true),
        7 => look.set(INVERSE, true),
        8 => look.set(HIDDEN, true),
        9 => look.set(STRIKE, true),
        21 => look.set_underline(UnderlineStyle::Double),
        22 => look.set(BOLD | DIM, false),
        23 => look.set(ITALIC, false),
        24 => look.set_underline(UnderlineStyle::None),
        25 => look.set(BLINK, false),
        27 => look.set(INVERSE, false),
        28 => look.set(HIDDEN, false),
        29 => look.set(STRIKE, false),
        30..=37 => look.set_fg(Color::Indexed((code - 30) as u8)),
        39 => look.set_fg(Color::Default),
        40..=47 => look.set_bg(Color::Indexed((code - 40) as u8)),
        49 => look.set_bg(Color::Default),
        53 => look.set(OVERLINE, true),
        55 => look.set(OVERLINE, false),
        59 => look.set_underline_color(Color::Default),
        90..=97 => look.set_fg(Color::Indexed((code - 90 + 8) as u8)),
        100..=107 => look.set_bg(Color::Indexed((code - 100 + 8) as u8)),
        _ => {}
    }
}

fn set_color(look: &mut Attributes, code: u16, color: Option<Color>) {
    let Some(color) = color else { return };
    match code {
        38 => look.set_fg(color),
        48 => look.set_bg(color),
        _ => look.set_underline_color(color),
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
