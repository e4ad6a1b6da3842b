//! The history, and searching it.

use std::sync::LazyLock;

use cotty_vt::{LineId, MatchPlace, Position, Size, Style, Vt};
use proptest::prelude::*;
use regex::Regex;

use crate::config;
use crate::input::{input, lines, new, roomy, size};

/// More rows than any input here fills.
const TALL: u16 = 500;
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new("[a-z0-9]+").unwrap());

fn words(line: &str) -> Vec<std::ops::Range<usize>> {
    WORD.find_iter(line).map(|found| found.range()).collect()
}

const WIDE: u16 = 900;

/// A row's cells up to the last with text: text, width, style and link.
fn cells(vt: &Vt, row: u16) -> Vec<(String, u8, Style, Option<&str>)> {
    let mut cells: Vec<_> = vt
        .row_cells(row)
        .map(|cell| (cell.text.trim_matches(' ').to_string(), cell.width, cell.style, cell.link))
        .collect();
    let len = cells.iter().rposition(|(text, ..)| !text.is_empty()).map_or(0, |last| last + 1);
    cells.truncate(len);
    cells
}

fn without_links(vt: &Vt, row: u16) -> Vec<(String, u8, Style)> {
    cells(vt, row).into_iter().map(|(text, width, style, _)| (text, width, style)).collect()
}

proptest! {
    #![proptest_config(config())]

    /// A screen that grows takes lines back from the history. It then shows the same cells, including styles and
    /// hyperlinks, as a screen that had this height from the beginning.
    #[test]
    fn a_growing_screen_restores_the_lines_that_scrolled_off(size in size(), pieces in lines()) {
        let mut low = roomy(size);
        let tall = Size { rows: TALL, ..size };
        let mut high = roomy(tall);
        for piece in &pieces {
            low.feed(piece);
            high.feed(piece);
        }
        low.resize(tall);
        prop_assert_eq!(low.history_lines(), 0);
        for row in 0..=high.cursor().row {
            prop_assert_eq!(cells(&low, row), cells(&high, row), "row {}", row);
        }
        prop_assert_eq!(low.cursor(), high.cursor());
    }

    /// Another terminal that is fed the history with its styles shows what the screen showed.
    #[test]
    fn the_history_keeps_text_and_styles(size in size(), pieces in lines()) {
        let mut low = roomy(size);
        let mut high = roomy(Size { rows: TALL, ..size });
        for piece in &pieces {
            low.feed(piece);
            high.feed(piece);
        }
        high.resize(Size { cols: WIDE, rows: TALL });
        let last = low.history_lines().saturating_sub(1);
        for ((row, ansi), line) in (0..).zip(low.history_ansi()).zip(low.history()) {
            let mut viewer = Vt::new(Size { cols: WIDE, rows: 1 });
            viewer.feed(ansi.as_bytes());
            prop_assert_eq!(viewer.row_text(0), line.text);
            let (shown, mut expected) = (without_links(&viewer, 0), without_links(&high, row));
            // The last line might continue on the screen.
            if usize::from(row) == last {
                expected.truncate(shown.len());
            }
            prop_assert_eq!(shown, expected, "line {}", row);
        }
    }

    #[test]
    fn the_text_at_a_match_is_the_matched_text(size in size(), input in input(), pieces in lines(), other in size()) {
        let mut vt = new(size);
        // A lower screen might move text below its cursor, so only plain lines are resized.
        if input.len() % 2 == 0 {
            vt.feed(&input);
        } else {
            pieces.iter().for_each(|piece| vt.feed(piece));
            vt.resize(other);
        }
        for found in vt.search(words, usize::MAX) {
            let MatchPlace::Text { from, to } = found.place else { panic!("unexpected match in the alternate-screen history") };
            let between = vt.text_between(from, to).text;
            // A match inside a cluster covers the whole cluster.
            let same = between == found.text || (!between.is_ascii() && between.contains(&*found.text));
            prop_assert!(same, "{:?} at {:?}..{:?} is {:?}", found.text, from, to, between);
        }
    }

    #[test]
    fn search_finds_every_word(size in size(), pieces in lines()) {
        let mut vt = roomy(size);
        pieces.iter().for_each(|piece| vt.feed(piece));
        let lines: Vec<String> = vt.lines_since(0).into_iter().map(|line| line.text).collect();
        let mut expected: Vec<&str> = lines.iter().flat_map(|line| WORD.find_iter(line)).map(|hit| hit.as_str()).collect();
        expected.reverse();
        let found: Vec<String> = vt.search(words, usize::MAX).into_iter().map(|found| found.text).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn lines_and_excerpts_agree(size in size(), input in input()) {
        let mut vt = roomy(size);
        vt.feed(&input);
        vt.feed(b"\x18\x1b\\\x1b[?2026l\x1b[?1049l");
        let origin = Position { line: LineId(0), cell: 0 };
        let lines: Vec<String> = vt.lines_since(0).into_iter().map(|line| line.text).collect();
        let excerpt = vt.text_from(origin).text;
        // `lines_since` omits lines that were never written.
        let written = |text: &str| text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        prop_assert_eq!(written(&lines.join("\n")), written(&excerpt));
    }
}
