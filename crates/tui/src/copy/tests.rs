use super::*;
use crate::keys::Chord;

/// Lines 1 to 50, a long line, and three more rows, 20 columns wide; the last 10 rows are the screen.
fn mode() -> CopyMode {
    let mut text: Vec<String> = (1..=50).map(|n| format!("line {n}")).collect();
    text.push("a line that is longer than the screen is wide".into());
    text.extend(["漢字 wide", "two words", "$ "].map(str::to_owned));
    let past = Past::new(&text.join("\n"), 20);
    CopyMode::new(past, 10, (9, 2), 10)
}

fn press(mode: &mut CopyMode, keys: &str) -> Outcome {
    let mut outcome = Outcome::Stay;
    for name in keys.split(' ') {
        outcome = mode.key(name.parse::<Chord>().unwrap().key);
    }
    outcome
}

fn type_text(mode: &mut CopyMode, text: &str) {
    for c in text.chars() {
        mode.key(KeyCode::Char(c).into());
    }
}

fn shown(mode: &CopyMode) -> Vec<String> {
    let vt = mode.picture();
    (0..vt.size().rows).map(|row| vt.row_text(row)).collect()
}

fn copied(mode: &mut CopyMode, keys: &str) -> String {
    match press(mode, keys) {
        Outcome::Copy(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn copy_mode_starts_at_the_current_screen() {
    let mode = mode();
    let rows = shown(&mode);
    assert_eq!((rows[0].as_str(), rows[9].as_str()), ("line 47", "$"));
    assert_eq!(mode.screen_cursor(), (9, 2));
}

#[test]
fn keys_move_through_the_whole_text() {
    let mut mode = mode();
    press(&mut mode, "g");
    assert_eq!((shown(&mode)[0].as_str(), mode.screen_cursor().0), ("line 1", 0));
    press(&mut mode, "j j pagedown");
    assert_eq!((shown(&mode)[0].as_str(), mode.screen_cursor().0), ("line 10", 2));
    press(&mut mode, "G");
    assert_eq!(shown(&mode)[9], "$");
    press(&mut mode, "pageup pageup k");
    assert_eq!(mode.cursor.row, 55 - 18 - 1);
    press(&mut mode, "g k k k");
    assert_eq!(mode.cursor.row, 0);
    press(&mut mode, "$");
    assert_eq!(mode.cursor.col, 5);
    press(&mut mode, "0 w");
    assert_eq!(mode.cursor, At { row: 0, col: 5 });
    press(&mut mode, "w b b");
    assert_eq!(mode.cursor, At { row: 0, col: 0 });
}

#[test]
fn the_selection_is_copied() {
    let mut m = mode();
    assert_eq!(copied(&mut m, "g 0 v j j $ y"), "line 1\nline 2\nline 3");
    let mut m = mode();
    assert_eq!(copied(&mut m, "g l l V j enter"), "line 1\nline 2");
    let mut m = mode();
    assert_eq!(copied(&mut m, "g 0 l ctrl+v j l l y"), "ine\nine");
    let mut m = mode();
    // The rows of the long line are copied as one line.
    assert_eq!(copied(&mut m, "k k k k k 0 V j j y"), "a line that is longer than the screen is wide");
    let mut m = mode();
    assert_eq!(copied(&mut m, "k k 0 v l l y"), "漢字", "a wide character is not split");
    let mut m = mode();
    assert_eq!(copied(&mut m, "g 0 j j v k o $ y"), "line 2\nline 3");
}

#[test]
fn without_a_selection_nothing_is_copied() {
    let mut m = mode();
    assert_eq!(press(&mut m, "y"), Outcome::Leave);
    let mut m = mode();
    assert_eq!(press(&mut m, "v esc"), Outcome::Stay, "deselects first");
    assert_eq!(press(&mut m, "esc"), Outcome::Leave);
    assert_eq!(press(&mut m, "v v y"), Outcome::Leave, "the same key again deselects");
}

#[test]
fn a_search_goes_up_down_and_wraps_around() {
    let mut m = mode();
    press(&mut m, "?");
    type_text(&mut m, "LINE 1");
    press(&mut m, "enter");
    assert!(m.status().contains("not found"), "capitals match only capitals: {}", m.status());
    press(&mut m, "?");
    type_text(&mut m, "line 1");
    press(&mut m, "enter");
    assert_eq!(m.cursor, At { row: 18, col: 0 }, "line 19 is the last");
    press(&mut m, "n");
    assert_eq!(m.cursor.row, 17);
    press(&mut m, "N");
    assert_eq!(m.cursor.row, 18);
    press(&mut m, "N");
    assert_eq!(m.cursor.row, 0, "around");
    assert!(m.status().contains("continued from the start"));
    press(&mut m, "/");
    type_text(&mut m, "than the screen");
    press(&mut m, "enter");
    assert_eq!(m.cursor, At { row: 51, col: 2 });
    assert_eq!(m.found(), [(m.screen_cursor().0, 2, 17)]);
    press(&mut m, "/");
    type_text(&mut m, "two (words");
    press(&mut m, "enter");
    assert!(m.status().contains("not found"), "an invalid pattern is searched as text");
}

#[test]
fn a_selection_can_be_saved_to_a_file() {
    let mut m = mode();
    press(&mut m, "g V s");
    type_text(&mut m, "out.txx");
    press(&mut m, "backspace");
    type_text(&mut m, "t");
    let saved = press(&mut m, "enter");
    assert_eq!(saved, Outcome::Save { path: "out.txt".into(), text: "line 1".into() });
    press(&mut m, "esc s");
    assert!(m.status().contains("nothing is selected"));
}

#[test]
fn the_wheel_starts_and_leaves_copy_mode() {
    let mut m = mode();
    assert_eq!(m.wheel(-3, true), Outcome::Stay);
    assert_eq!(m.wheel(-3, false), Outcome::Stay);
    assert_eq!(m.wheel(3, false), Outcome::Stay);
    assert_eq!(m.wheel(3, false), Outcome::Leave);
    let mut m = mode();
    press(&mut m, "g");
    assert_eq!(m.wheel(1000, false), Outcome::Stay, "the wheel did not start the mode");
}

#[test]
fn dragging_the_mouse_selects_and_copies() {
    let mut m = mode();
    m.press(0, 0);
    assert_eq!(m.release(), Outcome::Stay, "a click selects nothing");
    m.press(0, 5);
    m.drag(1, 6);
    assert_eq!(m.release(), Outcome::Copy("47\nline 48".into()));
}

#[test]
fn the_cursor_stays_visible_when_the_window_changes() {
    let mut m = mode();
    m.set_height(3);
    assert_eq!(shown(&m).len(), 3);
    assert_eq!(shown(&m)[2], "$");
    m.set_height(100);
    assert_eq!(shown(&m)[0], "line 1");
}
