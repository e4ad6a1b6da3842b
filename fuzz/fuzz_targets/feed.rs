//! No output breaks the terminal, and every read works after any output.
#![no_main]

use std::sync::LazyLock;

use cotty_fuzz::{assert_sound, steps, terminal};
use cotty_vt::{MatchPlace, Vt};
use libfuzzer_sys::fuzz_target;
use regex::Regex;

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").expect("valid pattern"));

fuzz_target!(|data: &[u8]| {
    let Some((mut vt, rest)) = terminal(data) else { return };
    let start = vt.position();
    for step in steps(rest) {
        step.apply(&mut vt);
        assert_sound(&vt);
    }
    read(&vt);
    vt.text_from(start);
    vt.text_between(start, vt.position());
    vt.text_between(vt.position(), start);
    vt.take_effects();
});

fn read(vt: &Vt) {
    let size = vt.size();
    let mut screen = String::new();
    for row in 0..size.rows {
        let cells: Vec<_> = vt.row_cells(row).collect();
        assert_eq!(cells.len(), usize::from(size.cols));
        let text = |cell: &cotty_vt::CellRef<'_>| match (cell.width, cell.text.is_empty()) {
            (1, true) => String::from(" "),
            _ => cell.text.to_string(),
        };
        let text: String = cells.iter().map(text).collect();
        assert_eq!(vt.row_text(row), text.trim_end_matches(' '));
        screen.push_str(&vt.row_text(row));
        screen.push('\n');
        vt.row_ansi(row);
    }
    assert_eq!(vt.screen_text(), screen);
    assert_eq!(vt.row_cells(size.rows).count(), 0);
    assert_eq!(vt.history().count(), vt.history_lines());
    assert_eq!(vt.history_ansi().rev().count(), vt.history_lines());
    for line in vt.lines_since(0).iter().chain(&vt.lines_since(vt.seq() / 2)) {
        assert!(line.stamp <= vt.seq());
        assert!(!line.text.contains('\n'));
    }
    assert_eq!(vt.lines_since(vt.seq()), []);
    for found in vt.search(|line| WORD.find_iter(line).map(|found| found.range()).collect(), 50) {
        assert!(found.line.contains(&found.text));
        match found.place {
            MatchPlace::Alternate { row, from, to } => {
                assert_eq!(
                    vt.alternate_history().nth(row).expect("no such row").text.get(from..to),
                    Some(&*found.text)
                );
            }
            MatchPlace::Text { from, to } => assert!(from.line == to.line && from.cell < to.cell),
        }
    }
}
