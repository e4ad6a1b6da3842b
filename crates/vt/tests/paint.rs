//! The exact bytes of a paint.

use cotty_vt::{Painter, Size, Vt};

fn vt(cols: u16, rows: u16, text: &str) -> Vt {
    let mut vt = Vt::new(Size { cols, rows });
    vt.feed(text.as_bytes());
    vt
}

#[test]
fn a_full_paint_clears_and_positions_every_row_without_wrapping() {
    let vt = vt(3, 3, "abcd\x1b[3;3He");
    let paint = Painter::new().full(&vt);
    assert_eq!(paint, "\x1b[0m\x1b[H\x1b[2J\x1b[1;1Habc\x1b[2;1Hd\x1b[3;1H  e\x1b[3;3H\x1b[0 q\x1b[?25h");
}

#[test]
fn the_position_is_repeated_after_a_non_ascii_character() {
    let vt = vt(8, 1, "a─b日e\u{301}c");
    let paint = Painter::new().full(&vt);
    let row = "\x1b[1;1Ha─\x1b[1;3Hb\x1b[2X日\x1b[1;6H\x1b[1Xe\u{301}\x1b[1;7Hc\x1b[K";
    assert_eq!(paint, format!("\x1b[0m\x1b[H\x1b[2J{row}\x1b[1;8H\x1b[0 q\x1b[?25h"));
}

#[test]
fn a_mark_in_its_own_cell_does_not_join_the_cell_before() {
    let vt = vt(4, 1, "a\0\u{ff9e}b");
    let mut viewer = self::vt(4, 1, "");
    viewer.feed(Painter::new().full(&vt).as_bytes());
    assert_eq!(
        viewer.row_cells(0).map(|cell| cell.text.to_string()).collect::<Vec<_>>(),
        ["a", "\u{ff9e}", "b", ""]
    );
}

#[test]
fn a_cluster_that_might_not_fit_keeps_its_width() {
    let vt = vt(4, 1, "\x1b[?7lab❤\u{fe0f}\u{200d}👩");
    let mut viewer = self::vt(4, 1, "");
    viewer.feed(Painter::new().full(&vt).as_bytes());
    assert_eq!(viewer.row_text(0), "ab❤\u{fe0f}");
    assert_eq!(viewer.row_cells(0).map(|cell| cell.width).collect::<Vec<_>>(), [1, 1, 2, 0]);
}

#[test]
fn a_diff_contains_the_changed_rows_and_the_cursor() {
    let mut vt = vt(6, 3, "one\r\ntwo");
    let mut painter = Painter::new();
    painter.full(&vt);
    assert_eq!(painter.diff(&vt), None);
    vt.feed(b"\x1b[1;31m!");
    assert_eq!(painter.diff(&vt).unwrap(), "\x1b[2;1Htwo\x1b[0;1;31m!\x1b[0m\x1b[K\x1b[2;5H");
    vt.feed(b"\x1b[H");
    assert_eq!(painter.diff(&vt).unwrap(), "\x1b[1;1H");
    vt.feed(b"\x1b[?25l\x1b[6 q");
    assert_eq!(painter.diff(&vt).unwrap(), "\x1b[1;1H\x1b[6 q\x1b[?25l");
    vt.feed(b"\x1b[2K");
    assert_eq!(painter.diff(&vt).unwrap(), "\x1b[1;1H\x1b[K\x1b[1;1H");
}

#[test]
fn a_resize_causes_a_full_paint() {
    let mut vt = vt(6, 2, "one");
    let mut painter = Painter::new();
    assert!(painter.diff(&vt).unwrap().contains("\x1b[2J"));
    vt.resize(Size { cols: 7, rows: 2 });
    assert!(painter.diff(&vt).unwrap().contains("\x1b[2J"));
    assert_eq!(painter.diff(&vt), None);
}

#[test]
fn a_reversed_screen_is_painted_inverse() {
    let vt = vt(2, 1, "\x1b[?5ha\x1b[7mb");
    let paint = Painter::new().full(&vt);
    assert!(paint.contains("\x1b[1;1H\x1b[0;7ma\x1b[0mb"), "{paint:?}");
}
