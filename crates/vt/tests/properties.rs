//! What must hold for any input: splitting, saving and restoring, invariants, painting.

use cotty_vt::{CellRef, Options, Painter, Size, Vt};
use proptest::prelude::*;

/// Sequences with small numbers, so that they hit a small screen; `#` stands for a number.
const SEQUENCES: &[&str] = &[
    "\x1b[#A",
    "\x1b[#B",
    "\x1b[#C",
    "\x1b[#D",
    "\x1b[#E",
    "\x1b[#F",
    "\x1b[#G",
    "\x1b[#;#H",
    "\x1b[#I",
    "\x1b[#J",
    "\x1b[#K",
    "\x1b[#L",
    "\x1b[#M",
    "\x1b[#P",
    "\x1b[#S",
    "\x1b[#T",
    "\x1b[#X",
    "\x1b[#Z",
    "\x1b[#@",
    "\x1b[#b",
    "\x1b[#d",
    "\x1b[#e",
    "\x1b[#g",
    "\x1b[#;#r",
    "\x1b[#;#r",
    "\x1b[#;#m",
    "\x1b[3#m",
    "\x1b[4#m",
    "\x1b[4:#m",
    "\x1b[48;5;#m",
    "\x1b[38:2::#:#:#m",
    "\x1b[58;5;#m",
    "\x1b[0m",
    "\x1b[# q",
    "\x1b[6n",
    "\x1b[5n",
    "\x1b[c",
    "\x1b[s",
    "\x1b[u",
    "\x1b7",
    "\x1b8",
    "\x1bD",
    "\x1bE",
    "\x1bM",
    "\x1bH",
    "\x1bc",
    "\x1b=",
    "\x1b>",
    "\x1b(0",
    "\x1b(B",
    "\x1b)0",
    "\x0e",
    "\x0f",
    "\x1b#8",
    "\x1b[!p",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[20h",
    "\x1b[20l",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[?7h",
    "\x1b[?7l",
    "\x1b[?5h",
    "\x1b[?5l",
    "\x1b[?25h",
    "\x1b[?25l",
    "\x1b[?12h",
    "\x1b[?12l",
    "\x1b[?47h",
    "\x1b[?47l",
    "\x1b[?1047h",
    "\x1b[?1047l",
    "\x1b[?1048h",
    "\x1b[?1048l",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?2026h",
    "\x1b[?2026l",
    "\x1b]2;title #\x07",
    "\x1b]133;A\x1b\\",
    "\x1b]133;D;#\x07",
    "\x1b]7;file://h/d#\x07",
    "\x1bP$qm\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1b_Gx\x1b\\",
    "\x1b]11;?\x07",
    "\r",
    "\n",
    "\r\n",
    "\r\n",
    "\r\n",
    "\t",
    "\x08",
    "\x07",
    "\x18",
    "\x1b[",
    "\x1b]2;x",
    "\x1b",
];

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let sequence =
        (prop::sample::select(SEQUENCES), prop::collection::vec(0u8..9, 3)).prop_map(|(text, numbers)| {
            let mut numbers = numbers.into_iter();
            let put =
                |c: char| if c == '#' { numbers.next().unwrap_or(1).to_string() } else { c.to_string() };
            text.chars().map(put).collect::<String>().into_bytes()
        });
    let unicode = prop::sample::select(
        &[
            "日",
            "本",
            "é",
            "e\u{301}",
            "\u{301}",
            "👩\u{200d}👩",
            "\u{fe0f}",
            "─",
            "\u{ad}",
            "\u{1100}\u{1161}",
        ][..],
    );
    prop_oneof![
        4 => "[ -~]{1,14}".prop_map(String::into_bytes),
        3 => unicode.prop_map(|text| text.as_bytes().to_vec()),
        6 => sequence,
        1 => any::<char>().prop_map(|c| c.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 1..6),
    ]
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

fn size() -> impl Strategy<Value = Size> {
    (2u16..12, 1u16..7).prop_map(|(cols, rows)| Size { cols, rows })
}

fn new(size: Size) -> Vt {
    Vt::with_options(Options { size, history_lines: 20, history_bytes: 4000, ..Options::default() })
}

/// A cell as it should look: the whole screen's reversal is painted cell by cell.
fn looks(vt: &Vt) -> Vec<Vec<(String, u8, String, bool)>> {
    let reverse = vt.modes().reverse_screen;
    let cols = usize::from(vt.size().cols);
    let look = |(col, cell): (usize, CellRef<'_>)| {
        let inverse = cell.style.inverse() != reverse;
        let sgr = cell.style.sgr().replace(";7", "");
        // The painter leaves out a joiner that joins nothing; what is left of it may be a blank.
        let text = cell.text.trim_end_matches('\u{200d}').trim_end_matches(' ');
        let text = if cell.width == 1 { text.replace('\u{fe0f}', "") } else { text.to_string() };
        // At the edge it leaves out what a viewer might draw beyond it.
        let near = col + 2 * text.chars().count() > cols;
        let text = if near { text.chars().take(1).collect() } else { text };
        (text, cell.width, sgr, inverse)
    };
    (0..vt.size().rows).map(|row| vt.row_cells(row).enumerate().map(look).collect()).collect()
}

/// Nothing but positions, SGR, erases, text and the cursor's look.
fn assert_only_paint(paint: &str) {
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

fn assert_shows(viewer: &Vt, vt: &Vt) {
    assert_eq!(looks(viewer), looks(vt));
    assert_eq!(viewer.cursor(), vt.cursor());
    assert_eq!(viewer.history_lines(), 0, "painting must not scroll");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn splitting_changes_nothing(size in size(), input in input(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut whole = new(size);
        whole.feed(&input);
        let mut parts = new(size);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        cuts.windows(2).for_each(|cut| parts.feed(&input[cut[0]..cut[1]]));
        prop_assert_eq!(whole.state(), parts.state());
        prop_assert_eq!(whole.take_effects(), parts.take_effects());
        let mut single = new(size);
        input.iter().for_each(|byte| single.feed(&[*byte]));
        prop_assert_eq!(whole.state(), single.state());
        prop_assert_eq!(whole.seq(), input.len() as u64);
    }

    #[test]
    fn a_restored_state_goes_on_as_if_nothing_happened(size in size(), input in input(), cut in any::<prop::sample::Index>()) {
        let (before, after) = input.split_at(cut.index(input.len() + 1));
        let mut vt = new(size);
        vt.feed(before);
        vt.take_effects();
        let mut restored = Vt::restore(&vt.state()).unwrap();
        prop_assert_eq!(restored.state(), vt.state());
        vt.feed(after);
        restored.feed(after);
        prop_assert_eq!(restored.state(), vt.state());
        prop_assert_eq!(restored.screen_text(), vt.screen_text());
        prop_assert_eq!(restored.take_effects(), vt.take_effects());
    }

    #[test]
    fn invariants_hold(start in size(), steps in prop::collection::vec((input(), size()), 1..5)) {
        let mut vt = new(start);
        for (input, size) in steps {
            vt.feed(&input);
            prop_assert_eq!(vt.verify(), Ok(()));
            vt.resize(size);
            prop_assert_eq!(vt.verify(), Ok(()));
            for row in 0..size.rows {
                prop_assert_eq!(vt.row_cells(row).count(), usize::from(size.cols));
                vt.row_ansi(row);
            }
            let position = vt.position();
            vt.text_from(position);
            vt.lines_since(0);
            prop_assert!(vt.history_ansi().count() <= 20);
        }
    }

    #[test]
    fn a_broken_state_is_refused_or_sound(size in size(), input in input(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let mut vt = new(size);
        vt.feed(&input);
        let mut state = vt.state();
        let at = at.index(state.len());
        if cut {
            state.truncate(at);
        } else {
            state[at] = byte;
        }
        if let Ok(mut other) = Vt::restore(&state) {
            other.feed(&input);
            other.resize(Size { cols: 5, rows: 3 });
            other.feed(&input);
            other.lines_since(0);
            other.text_from(other.position());
        }
    }

    #[test]
    fn a_paint_gives_the_same_screen(size in size(), input in input()) {
        let mut vt = new(size);
        vt.feed(&input);
        let paint = Painter::new().full(&vt);
        assert_only_paint(&paint);
        let mut viewer = new(size);
        viewer.feed(paint.as_bytes());
        assert_shows(&viewer, &vt);
    }

    #[test]
    fn differences_keep_the_viewer_up_to_date(size in size(), parts in prop::collection::vec(input(), 1..6)) {
        let mut vt = new(size);
        let mut viewer = new(size);
        let mut painter = Painter::new();
        viewer.feed(painter.full(&vt).as_bytes());
        for part in parts {
            vt.feed(&part);
            if let Some(paint) = painter.diff(&vt) {
                assert_only_paint(&paint);
                viewer.feed(paint.as_bytes());
            }
            assert_shows(&viewer, &vt);
            prop_assert_eq!(painter.diff(&vt), None);
        }
    }
}
