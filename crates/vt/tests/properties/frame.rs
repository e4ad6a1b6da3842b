//! Synchronized output: while a frame is drawn, readers see the screen from before it.

use std::sync::LazyLock;

use cotty_vt::{Painter, Vt};
use proptest::prelude::*;
use regex::Regex;

use crate::config;
use crate::input::{new, piece, size};

/// Output that neither begins nor ends a frame. It also contains nothing that discards the screen from before the
/// frame: no reset, no resize, no mark of a shell.
fn harmless() -> impl Strategy<Value = Vec<u8>> {
    let ends = |piece: &[u8]| {
        let text = String::from_utf8_lossy(piece);
        // Controls inside a sequence do not end it.
        let text: String = text.chars().filter(|c| *c == '\x1b' || !c.is_control()).collect();
        ["2026", "\x1bc", "[?3", "]133;", "]633;"].iter().any(|end| text.contains(end))
            || (text.starts_with("\x1b[") && text.ends_with('t'))
            // The next piece could complete one of these sequences.
            || text.ends_with(['\x1b', '['])
    };
    prop::collection::vec(piece(), 0..60)
        .prop_map(move |pieces| pieces.into_iter().filter(|piece| !ends(piece)).flatten().collect())
}

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").unwrap());

fn words(line: &str) -> Vec<std::ops::Range<usize>> {
    WORD.find_iter(line).map(|found| found.range()).collect()
}

fn readings(vt: &Vt) -> Vec<String> {
    let rows = 0..vt.size().rows;
    let mut all: Vec<String> = rows.map(|row| vt.row_ansi(row)).collect();
    all.extend(vt.history_ansi());
    all.push(vt.screen_text());
    all.push(format!("{:?} {} {}", vt.cursor(), vt.modes().alt_screen, vt.modes().reverse_screen));
    all.push(format!("{:?}", vt.lines_since(0)));
    all.push(format!("{:?}", vt.search(words, 100)));
    all.push(format!("{:?}", vt.alternate_history().collect::<Vec<_>>()));
    all
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_frame_is_shown_when_it_ends(size in size(), before in harmless(), frame in harmless()) {
        let mut vt = new(size);
        vt.feed(&before);
        vt.feed(b"\x18\x1b\\");
        let mut plain = vt.clone();
        let mut painter = Painter::new();
        painter.full(&vt);
        let shown = readings(&vt);
        vt.feed(b"\x1b[?2026h");
        prop_assert_eq!(vt.shown_seq(), vt.seq());
        for part in frame.chunks(40) {
            vt.feed(part);
            prop_assert_eq!(readings(&vt), &*shown);
            prop_assert_eq!(painter.diff(&vt), None);
        }
        vt.feed(b"\x18\x1b\\\x1b[?2026l");
        prop_assert_eq!(vt.shown_seq(), vt.seq());
        // Without synchronized output the result is the same.
        plain.feed(b"\x18\x1b\\");
        plain.feed(&frame);
        plain.feed(b"\x18\x1b\\");
        prop_assert_eq!(plain.screen_text(), vt.screen_text());
        prop_assert_eq!(plain.cursor(), vt.cursor());
        prop_assert_eq!(plain.history_ansi().collect::<Vec<_>>(), vt.history_ansi().collect::<Vec<_>>());
    }
}
