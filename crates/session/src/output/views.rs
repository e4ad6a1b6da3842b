//! The parts of a terminal that can be read, as text or with colours (`raw`).

use cotty_vt::{LineId, Position, Vt};

use super::screen::skip_lines;

/// These rows of the screen.
pub(crate) fn rows(vt: &Vt, rows: &[u16], raw: bool) -> String {
    let text = |&row: &u16| if raw { vt.row_ansi(row) } else { vt.row_text(row) };
    rows.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The screen without the empty rows at its end.
pub(crate) fn screen(vt: &Vt, raw: bool) -> String {
    let text = match raw {
        true => rows(vt, &all_rows(vt), true),
        false => vt.screen_text(),
    };
    text.trim_end_matches('\n').to_owned()
}

/// Lines that left the screen, without the newest `offset`, and how many older lines were dropped.
pub(crate) fn scrollback(vt: &Vt, offset: usize, limit: usize, raw: bool) -> (String, u64) {
    let mut lines: Vec<String> = match raw {
        true => vt.history_ansi().rev().skip(offset).take(limit).collect(),
        false => vt.history().rev().skip(offset).take(limit).map(|l| l.text.to_owned()).collect(),
    };
    lines.reverse();
    (lines.join("\n"), vt.history_dropped())
}

/// Lines by number, from 0 at the screen's top; missing lines are left out.
pub(crate) fn lines(vt: &Vt, first: Option<i64>, last: Option<i64>, raw: bool) -> String {
    let bottom = i64::from(vt.size().rows) - 1;
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(bottom).min(bottom));
    let mut lines = Vec::new();
    if first < 0 && first <= last {
        // History lines are counted from the newest.
        let count = |from: i64| usize::try_from(from.saturating_neg()).unwrap_or(0);
        let (skip, upto) = (count(last).saturating_sub(1), count(first));
        let text = scrollback(vt, skip, upto.saturating_sub(skip), raw).0;
        let there = vt.history().count() > skip;
        lines.extend(there.then_some(text));
    }
    if last >= 0 && first <= last {
        let row = |line: i64| u16::try_from(line).unwrap_or(0);
        let shown: Vec<u16> = (row(first.max(0))..=row(last)).collect();
        lines.push(rows(vt, &shown, raw));
    }
    lines.join("\n")
}

/// The newest `limit` lines of all text, and how many are left out. A logical line is in one piece, even if only half of it
/// is on the screen. A full-screen program's rows follow the text of the primary screen.
pub(crate) fn whole(vt: &Vt, limit: usize, raw: bool) -> (String, u64) {
    let oldest = Position { line: LineId(0), cell: 0 };
    let excerpt = if raw { vt.ansi_from(oldest) } else { vt.text_from(oldest) };
    let mut text = excerpt.text;
    if vt.modes().alt_screen {
        text.push('\n');
        text.push_str(&rows(vt, &all_rows(vt), raw));
    }
    let left_out = text.split('\n').count().saturating_sub(limit);
    if left_out > 0 {
        text = skip_lines(&text, left_out).to_owned();
    }
    (text, vt.history_dropped() + left_out as u64)
}

fn all_rows(vt: &Vt) -> Vec<u16> {
    (0..vt.size().rows).collect()
}

#[cfg(test)]
mod tests {
    use cotty_vt::Size;

    use super::*;

    /// `one` to `three` have left the screen, which shows `four` and `five`.
    fn five_lines() -> Vt {
        let mut vt = Vt::new(Size { cols: 10, rows: 3 });
        vt.feed(b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
        vt
    }

    #[test]
    fn lines_are_counted_from_the_top_of_the_screen() {
        let vt = five_lines();
        for (first, last, text) in [
            (None, None, "four\nfive\n"),
            (Some(0), Some(0), "four"),
            (Some(-1), Some(0), "three\nfour"),
            (Some(-3), Some(-2), "one\ntwo"),
            (Some(-9), Some(-3), "one"),
            (Some(-9), Some(-4), ""),
            (Some(1), Some(99), "five\n"),
            (Some(2), Some(1), ""),
        ] {
            assert_eq!(lines(&vt, first, last, false), text, "{first:?} to {last:?}");
        }
    }

    #[test]
    fn history_is_read_from_the_newest_line() {
        let vt = five_lines();
        assert_eq!(scrollback(&vt, 0, 2, false), ("two\nthree".to_owned(), 0));
        assert_eq!(scrollback(&vt, 1, 9, false), ("one\ntwo".to_owned(), 0));
        assert_eq!(scrollback(&vt, 9, 9, false), (String::new(), 0));
    }

    #[test]
    fn the_whole_text_has_each_line_once_and_counts_what_is_left_out() {
        let vt = five_lines();
        assert_eq!(whole(&vt, 99, false), ("one\ntwo\nthree\nfour\nfive\n".to_owned(), 0));
        assert_eq!(whole(&vt, 2, false), ("five\n".to_owned(), 4));
        assert_eq!(screen(&vt, false), "four\nfive");
    }
}
