//! Reading by position and by seq.

use cotty_vt::{EffectKind, MarkKind, Options, Position, Size, Until, Vt};

fn vt(cols: u16, rows: u16) -> Vt {
    Vt::new(Size { cols, rows })
}

#[test]
fn seq_and_stamps_count_exact_bytes() {
    let mut vt = vt(4, 3);
    vt.feed(b"abcdefg\r\n\x07x");
    assert_eq!(vt.seq(), 11);
    let effects = vt.take_effects();
    assert_eq!((effects[0].seq, &effects[0].kind), (10, &EffectKind::Bell));
    let lines: Vec<(u64, String)> =
        vt.lines_since(0).into_iter().map(|line| (line.stamp, line.text)).collect();
    assert_eq!(lines, [(7, "abcdefg".into()), (11, "x".into())]);
    assert_eq!(vt.lines_since(7).len(), 1);
    assert_eq!(vt.lines_since(11).len(), 0);
}

#[test]
fn dropped_lines_are_counted_from_the_requested_position() {
    let options = Options { size: Size { cols: 10, rows: 4 }, history_lines: 10, ..Options::default() };
    let mut vt = Vt::with_options(options);
    vt.feed(b"$ seq 100\r\n");
    let start = vt.position();
    for n in 1..=100 {
        vt.feed(format!("{n}\r\n").as_bytes());
    }
    let excerpt = vt.text_from(start);
    assert_eq!(excerpt.dropped + excerpt.text.lines().count() as u64, 100);
}

#[test]
fn text_between_marks_is_the_output_of_the_command() {
    let mut vt = vt(10, 3);
    vt.feed(b"$ cmd\r\n\x1b]133;C\x07one\r\na long line that wraps\r\n\r\nend\r\n\x1b]133;D;0\x07$ ");
    let marks: Vec<_> = vt
        .take_effects()
        .into_iter()
        .filter_map(|effect| match effect.kind {
            EffectKind::Mark(mark) => Some(mark),
            _ => None,
        })
        .collect();
    assert_eq!((marks[0].kind, marks[1].kind), (MarkKind::CommandStart, MarkKind::CommandEnd));
    let excerpt = vt.text_between(marks[0].position, marks[1].position);
    assert_eq!(excerpt.text, "one\na long line that wraps\n\nend\n");
    assert_eq!(excerpt.dropped, 0);
    assert_eq!(vt.text_from(marks[1].position).text, "$");
    assert_eq!(vt.text_between(marks[1].position, marks[0].position).text, "");
}

#[test]
fn text_since_skips_unchanged_older_text() {
    for clear in ["\x1b[H\x1b[2J", "\x1b[2J\x1b[H", "\x1bc"] {
        let mut vt = vt(10, 6);
        vt.feed(b"old 1\r\nold 2\r\n\r\nold 4\x1b[1;1H");
        let (start, seq) = (vt.position(), vt.seq());
        vt.feed(format!("new\r\n{clear}\r\nmore\r\n").as_bytes());
        let end = vt.position();
        assert_eq!(vt.text_since(start, Some(end), seq).text, "new 1\n\nmore\n", "{clear:?}");
        assert_eq!(vt.text_since(start, None, seq).text, "new 1\n\nmore\n", "{clear:?}");
        assert!(vt.text_between(start, end).text.contains("old 4"), "{clear:?}");
    }
    // Empty lines that the cursor passed count as written.
    let mut vt = vt(10, 6);
    vt.feed(b"old\r\n");
    let (start, seq) = (vt.position(), vt.seq());
    vt.feed(b"a\r\n\r\n\r\nb\r\n");
    assert_eq!(vt.text_since(start, None, seq).text, "a\n\n\nb\n");
}

#[test]
fn written_text_is_found_wherever_the_cursor_moved() {
    let cases = [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\n\r\nb", "a\n\nb"),
        ("", ""),
        // Move up and write there; then move back, or stay.
        ("\x1b[1;1HTOP\x1b[8;1H", "TOP 1\n"),
        ("\x1b[2A\rnew\r\n\r\n\r\n", "new 3\n"),
        ("\x1b[2A\rnew", "new"),
        ("said\r\n\x1b7\x1b[2;1Hdrawn\x1b8", "drawn\nsaid\n"),
        // Write, then move up.
        ("a\r\nb\r\n\x1b[1;1H", "a\nb\n"),
        ("a\r\nb\r\n\x1b[2A", "b\n"),
        // Insert a line at the top, which moves the others down.
        ("\x1b[H\x1bMput in\x1b[8;1H", "put in\n"),
        // Only move or erase, even inside old text.
        ("\x1b[2;3H", ""),
        ("\x1b[H\x1b[J", ""),
        ("\x1b[2;1H\x1b[Jmenu\r\n\r\n1\r\n", "menu\n\n1\n"),
        // Scroll off the screen.
        ("\x1b[HTOP\x1b[9;1H\n\n\nend\r\n", "TOP 1\n\n\nend\n"),
    ];
    for (bytes, expected) in cases {
        let mut vt = vt(10, 9);
        vt.feed(b"old 1\r\nold 2\r\nold 3\r\n$ cmd\r\n");
        let (start, since) = (vt.position(), vt.seq());
        vt.feed(bytes.as_bytes());
        let until = Until { position: vt.position(), seq: vt.seq(), stamp: vt.cursor_stamp() };
        vt.feed(b"$ ");
        assert_eq!(vt.written(start, since, Some(until)).text, expected, "{bytes:?}");
    }
}

#[test]
fn lines_already_returned_are_skipped() {
    let mut vt = vt(10, 6);
    vt.feed(b"one\r\ntwo\r\nthree\r\n");
    let (begin, after) = (Position { line: cotty_vt::LineId(1), cell: 0 }, vt.seq());
    vt.feed(b"\x1b[2;1Hseen\x1b[4;1H");
    let returned = (after, vt.seq());
    vt.feed(b"four\r\n");
    assert_eq!(vt.text_since_except(begin, None, 0, &[returned]).text, "one\nthree\nfour\n");
    let above: Vec<String> =
        vt.lines_above(vt.position().line, vt.lines_since(after)).into_iter().map(|l| l.text).collect();
    assert_eq!(above, ["seen", "four"]);
}

#[test]
fn positions_survive_a_resize() {
    let mut vt = vt(10, 4);
    vt.feed("日本語abcdef".as_bytes());
    let at = vt.position();
    assert_eq!(at.cell, 12);
    vt.feed(b"XYZ\r\nnext");
    let end = vt.position();
    for cols in [4, 7, 30, 3, 10] {
        vt.resize(Size { cols, rows: 4 });
        assert_eq!(vt.text_between(at, end).text, "XYZ\nnext", "{cols} columns");
        assert_eq!(vt.position(), end, "{cols} columns");
    }
}

#[test]
fn lines_dropped_from_the_history_are_counted() {
    let mut vt = Vt::with_options(Options {
        size: Size { cols: 10, rows: 2 },
        history_lines: 3,
        ..Options::default()
    });
    let start = vt.position();
    for n in 0..20 {
        vt.feed(format!("{n}\r\n").as_bytes());
    }
    let excerpt = vt.text_from(start);
    assert_eq!(excerpt.text, "16\n17\n18\n19\n");
    assert_eq!(excerpt.dropped, 16);
    assert_eq!(vt.history_dropped(), 16);
    assert_eq!(vt.history().map(|line| line.text).collect::<Vec<_>>(), ["16", "17", "18"]);
    vt.set_history_lines(1);
    assert_eq!(vt.history().rev().map(|line| line.text).collect::<Vec<_>>(), ["18"]);
}

#[test]
fn reading_from_an_erased_line_begins_at_the_next_one() {
    let mut vt = vt(10, 4);
    vt.feed(b"keep\r\n");
    let start = vt.position();
    vt.feed(b"gone\x1b[1;1H\x1b[Jnew\r\nmore");
    let excerpt = vt.text_from(start);
    assert_eq!((excerpt.text.as_str(), excerpt.dropped), ("more", 0));
    let unknown = Position { line: cotty_vt::LineId(u64::MAX), cell: 7 };
    assert_eq!(vt.text_from(unknown).text, "");
}

#[test]
fn the_alternate_screen_is_read_row_by_row() {
    let mut vt = vt(10, 2);
    vt.feed(b"shell\x1b[?1049h\x1b[Htop\r\nrow");
    let before = vt.seq();
    vt.feed(b"!");
    let texts: Vec<String> = vt.lines_since(before).into_iter().map(|line| line.text).collect();
    assert_eq!(texts, ["row!"]);
    assert_eq!(vt.row_text(1), "row!");
    assert_eq!(vt.row_text(9), "");
}

#[test]
fn styles_are_kept_in_the_history() {
    let mut vt = vt(10, 1);
    vt.feed(b"a\x1b[1;31mred\x1b[0mb\r\nplain\r\n");
    assert_eq!(vt.history_ansi().collect::<Vec<_>>(), ["a\x1b[0;1;31mred\x1b[0mb", "plain"]);
    vt.feed(b"\x1b[4mu\x1b[m");
    assert_eq!(vt.row_ansi(0), "\x1b[0;4mu\x1b[0m");
}

#[test]
fn any_range_can_be_read_with_its_styles() {
    let mut vt = vt(10, 2);
    let start = vt.position();
    vt.feed("a\x1b[1;31mréd\x1b[0mb\r\n\x1b[7m日本\x1b[m \r\nplain\r\n".as_bytes());
    let from = vt.position();
    vt.feed(b"\x1b[32mgreen\x1b[m end");
    let to = vt.position();
    vt.feed(b" more");
    let lines =
        ["a\x1b[0;1;31mréd\x1b[0mb", "\x1b[0;7m日本\x1b[0m", "plain", "\x1b[0;32mgreen\x1b[0m end more"];
    assert_eq!(vt.ansi_from(start).text, lines.join("\n"));
    assert_eq!(vt.ansi_between(from, to).text, "\x1b[0;32mgreen\x1b[0m end");
    // From the middle of a style, and in the history.
    let inside = Position { cell: 2, ..start };
    let end = Position { cell: 4, ..start };
    assert_eq!(vt.ansi_between(inside, end).text, "\x1b[0;1;31méd\x1b[0m");
    assert_eq!(vt.text_between(inside, end).text, "éd");
}

#[test]
fn the_alternate_screen_history_keeps_each_row_once() {
    let mut vt = vt(20, 3);
    let kept = |vt: &Vt| vt.alternate_history().map(|row| row.text.clone()).collect::<Vec<_>>();
    vt.feed(b"shell\x1b[?1049h\x1b[H1 one\r\n2 two\r\nstatus");
    vt.settle();
    assert_eq!(kept(&vt), [""; 0], "the rows are still on the screen");
    // The next page; a row that was shown only briefly is not kept.
    vt.feed(b"\x1b[H\x1b[Jflash\x1b[H\x1b[J2 two\r\n3 three\r\nstatus");
    vt.settle();
    assert_eq!(kept(&vt), ["1 one"]);
    vt.feed(b"\x1b[H\x1b[J1 one\r\n2 two\r\nstatus");
    vt.settle();
    vt.feed(b"\x1b[?1049l");
    assert_eq!(kept(&vt), ["1 one", "3 three", "2 two", "status"]);
    let three = |line: &str| line.match_indices("three").map(|(at, text)| at..at + text.len()).collect();
    let found = vt.search(three, 10);
    assert_eq!(found[0].place, cotty_vt::MatchPlace::Alternate { row: 1, from: 2, to: 7 });
    assert_eq!(vt.screen_text().trim_end(), "shell");
    let restored = Vt::restore(&vt.state()).unwrap();
    assert_eq!(kept(&restored), kept(&vt));
}

#[test]
fn an_endless_line_stays_within_the_limits() {
    let options = Options {
        size: Size { cols: 80, rows: 24 },
        history_lines: 100,
        history_bytes: 300_000,
        ..Options::default()
    };
    let mut vt = Vt::with_options(options);
    let chunk = vec![b'x'; 100_000];
    for _ in 0..20 {
        vt.feed(&chunk);
    }
    let held: usize = vt.history().map(|line| line.text.len()).sum();
    assert!(held > 150_000 && held <= 300_000, "{held}");
    assert!(vt.history_dropped() > 20);
    let excerpt = vt.text_from(vt.position());
    assert_eq!(excerpt.text, "");
    assert_eq!(vt.lines_since(0).len(), 1);
}

#[test]
fn the_effect_queue_is_bounded_and_drops_replies_last() {
    let mut vt = vt(10, 2);
    for n in 0..10_000 {
        vt.feed(format!("\x1b]2;{n}\x07").as_bytes());
        if n % 10 == 0 {
            vt.feed(b"\x1b[5n");
        }
    }
    let effects = vt.take_effects();
    assert!(effects.len() <= 4096);
    let replies = effects.iter().filter(|effect| matches!(effect.kind, EffectKind::Reply(_))).count();
    assert_eq!(replies, 1000);
    assert_eq!(vt.take_effects(), []);
}

#[test]
fn in_sequence_detects_incomplete_input() {
    let mut vt = vt(10, 2);
    assert!(!vt.in_sequence());
    for half in [&b"\x1b"[..], b"\x1b[3", b"\x1b]2;x", b"\xe2\x82"] {
        vt.feed(half);
        assert!(vt.in_sequence(), "{half:?}");
        vt.feed(b"\x18");
        assert!(!vt.in_sequence(), "{half:?}");
    }
}

#[test]
fn sizes_are_clamped() {
    let mut vt = vt(0, 0);
    assert_eq!(vt.size(), Size { cols: 2, rows: 1 });
    vt.feed("日x\r\n".as_bytes());
    vt.resize(Size { cols: 60000, rows: 60000 });
    assert_eq!(vt.size(), Size { cols: 2000, rows: 2000 });
    assert_eq!(vt.verify(), Ok(()));
}

#[test]
fn restore_refuses_bytes_that_are_not_a_state() {
    for bytes in [&b""[..], b"cotty-vt", b"cotty-vt\x01", b"cotty-vt\x03\0\0"] {
        assert!(Vt::restore(bytes).is_err());
    }
    let mut state = vt(4, 2).state();
    state.push(0);
    let error = Vt::restore(&state).unwrap_err();
    assert_eq!(error.to_string(), "not a terminal state: trailing bytes");
}

#[test]
fn styles_stay_distinct_when_the_table_is_swept() {
    // Each line has its own style and wraps, so that rows are blanked in the middle of a run.
    let mut vt = vt(6, 4);
    for n in 0..5000u32 {
        let (high, low) = (n >> 8, n & 0xff);
        vt.feed(format!("\x1b[38;2;1;{high};{low};48;2;2;{high};{low}mabcdefgh日\x1b[m\r\n").as_bytes());
        vt.verify().unwrap();
        let color = |r| cotty_vt::Color::Rgb(r, high as u8, low as u8);
        let below = vt.cursor().row;
        for row in [below - 2, below - 1] {
            let cell = vt.row_cells(row).next().unwrap();
            assert_eq!((cell.style.fg, cell.style.bg), (color(1), color(2)), "style {n}, row {row}");
        }
    }
}

#[test]
fn repeated_resizes_do_not_grow_the_state() {
    let mut vt = vt(10, 4);
    vt.feed("e\u{301}👩\u{200d}👩\x1b[31mo\u{308}\x1b[m\r\n".repeat(40).as_bytes());
    for _ in 0..2000 {
        vt.resize(Size { cols: 8, rows: 2 });
        vt.resize(Size { cols: 10, rows: 30 });
    }
    assert_eq!(vt.verify(), Ok(()));
    assert!(vt.state().len() < 50_000, "{}", vt.state().len());
}
