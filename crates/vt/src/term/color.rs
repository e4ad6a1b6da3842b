use alloc::collections::BTreeMap;
use alloc::format;

use serde::{Deserialize, Serialize};

use super::Term;
use crate::Color;
use crate::grid::style::palette;

/// Red, green and blue, 16 bits each, as in the sequences.
type Rgb = [u16; 3];

/// The most colours that one OSC 4 can set or query.
const MAX_COLORS: usize = 256;

/// The colours that the program changed; for all others the viewer's palette applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Colors {
    palette: BTreeMap<u8, Rgb>,
    /// Foreground, background, cursor (OSC 10, 11, 12).
    dynamic: [Option<Rgb>; 3],
    /// How often a colour changed, so that painters detect it.
    pub(crate) revision: u64,
}

impl Colors {
    /// The current value of a palette colour.
    pub(crate) fn shown(&self, color: Color) -> Color {
        match color {
            Color::Indexed(index) => match self.palette.get(&index) {
                Some(&[r, g, b]) => Color::Rgb((r >> 8) as u8, (g >> 8) as u8, (b >> 8) as u8),
                None => color,
            },
            _ => color,
        }
    }

    pub(crate) fn is_changed(&self) -> bool {
        !self.palette.is_empty()
    }
}

impl Term {
    /// OSC 4: pairs of an index and a colour or query.
    pub(super) fn palette_colors(&mut self, text: &str, bell: bool) {
        let mut parts = text.split(';');
        for _ in 0..MAX_COLORS {
            let (Some(index), Some(color)) = (parts.next(), parts.next()) else { return };
            let Ok(index) = index.parse::<u8>() else { continue };
            if color == "?" {
                let (r, g, b) = palette(index);
                let set = self.colors.palette.get(&index).copied();
                self.reply_color(&format!("4;{index}"), set.unwrap_or([r, g, b].map(doubled)), bell);
            } else if let Some(rgb) = parse(color) {
                self.colors.palette.insert(index, rgb);
                self.colors.revision += 1;
            }
        }
    }

    /// OSC 104: resets some palette colours, or all.
    pub(super) fn reset_palette(&mut self, text: &str) {
        if text.is_empty() {
            self.colors.palette.clear();
        }
        for index in text.split(';').filter_map(|index| index.parse().ok()) {
            self.colors.palette.remove(&index);
        }
        self.colors.revision += 1;
    }

    /// OSC 10, 11, 12: foreground, background, cursor; further values apply to the next numbers.
    pub(super) fn dynamic_colors(&mut self, number: &str, text: &str, bell: bool) {
        let names = ["10", "11", "12"];
        let first = names.iter().position(|name| *name == number).unwrap_or(0);
        for ((slot, name), color) in names.iter().enumerate().skip(first).zip(text.split(';')) {
            if color == "?" {
                // Report light on dark, like most themes.
                let default = [[0xd0d0; 3], [0; 3], [0xd0d0; 3]][slot];
                self.reply_color(name, self.colors.dynamic[slot].unwrap_or(default), bell);
            } else if let Some(rgb) = parse(color) {
                self.colors.dynamic[slot] = Some(rgb);
            }
        }
    }

    /// OSC 110, 111, 112.
    pub(super) fn reset_dynamic(&mut self, number: &str) {
        let slot = ["110", "111", "112"].iter().position(|name| *name == number);
        if let Some(color) = slot.and_then(|slot| self.colors.dynamic.get_mut(slot)) {
            *color = None;
        }
    }

    fn reply_color(&mut self, name: &str, [r, g, b]: Rgb, bell: bool) {
        let end = if bell { "\x07" } else { "\x1b\\" };
        self.reply(&format!("\x1b]{name};rgb:{r:04x}/{g:04x}/{b:04x}{end}"));
    }
}

fn doubled(value: u8) -> u16 {
    u16::from(value) * 0x101
}

/// Parses a colour as X11 does: `rgb:r/g/b` or `#rgb`, with one to four digits each, or a common
/// colour name.
fn parse(text: &str) -> Option<Rgb> {
    let text = text.trim();
    if let Some(parts) = text.strip_prefix("rgb:") {
        let mut parts = parts.split('/').map(|digits| {
            let value = u32::from_str_radix(digits, 16).ok()?;
            let most = (1u32 << (4 * digits.len().min(4))) - 1;
            // Scale to four digits: `f` is as bright as `ffff`.
            (1..=4).contains(&digits.len()).then(|| (value * 0xffff / most) as u16)
        });
        let rgb = [parts.next()??, parts.next()??, parts.next()??];
        return parts.next().is_none().then_some(rgb);
    }
    if let Some(digits) = text.strip_prefix('#') {
        let each = digits.len() / 3;
        if !digits.is_ascii() || digits.len() % 3 != 0 || !(1..=4).contains(&each) {
            return None;
        }
        let part = |at: usize| u16::from_str_radix(digits.get(at * each..(at + 1) * each)?, 16).ok();
        // Only the first two digits count; a missing second digit is zero.
        let byte = |value: u16| doubled((u32::from(value) << 16 >> (4 * each) >> 8) as u8);
        return Some([byte(part(0)?), byte(part(1)?), byte(part(2)?)]);
    }
    let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    named.map(|(_, rgb)| rgb.map(doubled))
}

const NAMES: &[(&str, [u8; 3])] = &[
    ("black", [0, 0, 0]),
    ("red", [255, 0, 0]),
    ("green", [0, 255, 0]),
    ("yellow", [255, 255, 0]),
    ("blue", [0, 0, 255]),
    ("magenta", [255, 0, 255]),
    ("cyan", [0, 255, 255]),
    ("white", [255, 255, 255]),
    ("gray", [190, 190, 190]),
    ("grey", [190, 190, 190]),
    ("orange", [255, 165, 0]),
    ("purple", [160, 32, 240]),
    ("brown", [165, 42, 42]),
    ("pink", [255, 192, 203]),
];
