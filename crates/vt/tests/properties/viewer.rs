//! Checks a terminal that was fed a paint. The fuzz target `paint` includes this file, too.

use std::collections::BTreeMap;

use cotty_vt::{CellRef, Color, EffectKind, UnderlineStyle, Vt};

pub(crate) fn assert_shows(viewer: &Vt, vt: &Vt) {
    // While a frame is drawn, a query returns its colours, not those that readers see.
    let known = vt.shown_seq() == vt.seq();
    let (mut of_viewer, mut of_vt) = (Colors::new(viewer, known), Colors::new(vt, known));
    for row in 0..vt.size().rows {
        assert_eq!(looks(viewer, row, &mut of_viewer), looks(vt, row, &mut of_vt), "row {row}");
    }
    assert_eq!(viewer.cursor(), vt.cursor());
    assert_eq!(viewer.history_lines(), 0, "painting must not scroll");
}

/// Fails unless the paint contains only positions, SGR, erases, text and the cursor's look.
pub(crate) fn assert_only_paint(paint: &str) {
    let mut pieces = paint.split('\x1b');
    assert_eq!(pieces.next(), Some(""));
    for piece in pieces {
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).expect("an unfinished sequence");
        let (sequence, text) = piece.split_at(end + 1);
        assert!(
            sequence.starts_with('[') && sequence.ends_with(['H', 'm', 'K', 'J', 'X', 'q', 'h', 'l']),
            "{sequence}"
        );
        assert!(!sequence.ends_with(['h', 'l']) || sequence.starts_with("[?25"), "{sequence}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

/// A cell as it should look.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    text: String,
    width: u8,
    colors: [Color; 3],
    underline: UnderlineStyle,
    /// Bold, dim, italic, blinking, hidden, struck, overlined, inverse.
    attrs: [bool; 8],
}

/// The cells of a row, with reverse screen mode and palette colours applied as the painter does.
fn looks(vt: &Vt, row: u16, colors: &mut Colors<'_>) -> Vec<Look> {
    let reverse = vt.modes().reverse_screen;
    let cols = usize::from(vt.size().cols);
    let look = |(col, cell): (usize, CellRef<'_>)| {
        // The painter omits a joiner that joins nothing; the rest of the cell might be blank.
        let text = cell.text.trim_end_matches('\u{200d}').trim_end_matches(' ');
        let text: String = text.chars().filter(|c| cell.width > 1 || *c != '\u{fe0f}').collect();
        // Near the edge it omits characters that another terminal might draw past the edge.
        let near = col + 2 * text.chars().count() > cols;
        let text = text.chars().take(if near { 1 } else { usize::MAX }).collect();
        let style = cell.style;
        Look {
            text,
            width: cell.width,
            colors: [style.fg, style.bg, style.underline_color].map(|color| colors.shown(color)),
            underline: style.underline,
            attrs: [
                style.bold(),
                style.dim(),
                style.italic(),
                style.blink(),
                style.hidden(),
                style.strike(),
                style.overline(),
                style.inverse() != reverse,
            ],
        }
    };
    vt.row_cells(row).enumerate().map(look).collect()
}

/// The palette as the program changed it (OSC 4), which only the terminal's replies reveal.
struct Colors<'a> {
    vt: &'a Vt,
    known: bool,
    answers: BTreeMap<u8, Color>,
}

impl<'a> Colors<'a> {
    fn new(vt: &'a Vt, known: bool) -> Self {
        Colors { vt, known, answers: BTreeMap::new() }
    }

    fn shown(&mut self, color: Color) -> Color {
        match color {
            _ if !self.known => Color::Default,
            Color::Indexed(index) => *self.answers.entry(index).or_insert_with(|| ask(self.vt, index)),
            _ => color,
        }
    }
}

fn ask(vt: &Vt, index: u8) -> Color {
    let mut asked = vt.clone();
    asked.take_effects();
    asked.feed(format!("\x18\x1b]4;{index};?\x07").as_bytes());
    let answer = asked.take_effects().into_iter().find_map(|effect| match effect.kind {
        EffectKind::Reply(bytes) => String::from_utf8(bytes).ok(),
        _ => None,
    });
    let answer = answer.expect("no reply to the colour query");
    let (_, rgb) = answer.split_once("rgb:").expect("no colour in the reply");
    let mut parts = rgb.split('/').map(|part| u8::from_str_radix(&part[..2], 16).expect("no number"));
    let mut next = || parts.next().expect("too few numbers");
    Color::Rgb(next(), next(), next())
}
