//! A resize does not change the text.

use cotty_vt::{LineId, Position, Size, Vt};
use proptest::prelude::*;

use crate::config;
use crate::input::{input, lines, roomy, size};

/// The position before all text.
const ORIGIN: Position = Position { line: LineId(0), cell: 0 };

/// Ends any open sequence or frame and shows the primary screen.
const HOME: &[u8] = b"\x18\x1b\\\x1b[?2026l\x1b[?1049l\x1b[r\x1b[?6l";

fn sizes() -> impl Strategy<Value = Vec<Size>> {
    prop::collection::vec(size(), 1..5)
}

/// All text, without blanks and empty lines at its end.
fn text(vt: &Vt, from: Position) -> String {
    let excerpt = vt.text_from(from);
    assert_eq!(excerpt.dropped, 0);
    excerpt.text.trim_end_matches([' ', '\n']).to_string()
}

fn characters(vt: &Vt) -> Vec<char> {
    let mut characters: Vec<char> = text(vt, ORIGIN).chars().filter(|c| !c.is_whitespace()).collect();
    characters.sort_unstable();
    characters
}

proptest! {
    #![proptest_config(config())]

    /// If the cursor is after the text, the lines keep their order, too.
    #[test]
    fn lines_above_the_cursor_do_not_change(size in size(), input in input(), sizes in sizes()) {
        let mut vt = roomy(size);
        vt.feed(&input);
        vt.feed(HOME);
        vt.feed(b"\x1b[999;999H");
        let before = text(&vt, ORIGIN);
        for size in sizes {
            vt.resize(size);
            prop_assert_eq!(text(&vt, ORIGIN), &*before, "at {:?}", size);
        }
    }

    /// Text below the cursor that does not fit on a lower screen goes into the history, after the text
    /// above the cursor.
    #[test]
    fn no_character_is_lost(size in size(), input in input(), sizes in sizes()) {
        let mut vt = roomy(size);
        vt.feed(&input);
        vt.feed(HOME);
        let before = characters(&vt);
        for size in sizes {
            vt.resize(size);
            prop_assert_eq!(characters(&vt), &*before, "at {:?}", size);
        }
    }

    /// The same while a full-screen program runs.
    #[test]
    fn the_primary_screen_loses_no_character_behind_a_full_screen_program(size in size(), input in input(), sizes in sizes()) {
        let mut vt = roomy(size);
        vt.feed(&input);
        vt.feed(HOME);
        let before = characters(&vt);
        vt.feed(b"\x1b[?1049h\x1b[Hfull screen\r\n\n\n\n");
        for size in &sizes {
            vt.resize(*size);
        }
        vt.feed(b"\x1b[?1049l");
        prop_assert_eq!(characters(&vt), before);
    }

    #[test]
    fn positions_stay_on_their_character(size in size(), pieces in lines(), sizes in sizes()) {
        let mut vt = roomy(size);
        let mut places = Vec::new();
        for piece in &pieces {
            places.push(vt.position());
            vt.feed(piece);
        }
        let before: Vec<String> = places.iter().map(|place| text(&vt, *place)).collect();
        let end = vt.position();
        for size in sizes {
            vt.resize(size);
            for (place, before) in places.iter().zip(&before) {
                prop_assert_eq!(&text(&vt, *place), before, "{:?} at {:?}", place, size);
            }
            prop_assert_eq!(vt.position().line, end.line);
        }
    }
}
