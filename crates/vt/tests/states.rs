//! This version reads states that earlier versions of the engine wrote. `tests/states` holds one state per format, with the
//! text it shows. `WRITE_STATE=1 cargo test -p cotty-vt --test states` writes the files of a new format; existing files are
//! never overwritten.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cotty_vt::{Size, Vt};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/states")
}

/// A terminal that uses every part of a state and is in the middle of a sequence.
fn busy() -> Vt {
    let mut vt = Vt::new(Size { cols: 40, rows: 6 });
    for line in 0..30 {
        let link = format!("\x1b]8;;https://example.org/{line}\x1b\\linked\x1b]8;;\x1b\\");
        vt.feed(
            format!(
                "\x1b[1;3{};48;5;{line}mline {line}\x1b[m {link} 日本 e\u{301} 👩\u{200d}💻\r\n",
                line % 8
            )
            .as_bytes(),
        );
    }
    vt.feed("a line that is longer than the row and goes on in the next \u{e33}\x1b[5G1\0🏽\r\n".as_bytes());
    vt.feed(b"\x1b]0;a title\x07\x1b[22t\x1b]0;another\x07\x1b]7;file:///tmp\x07\x1b]4;3;rgb:12/34/56\x07");
    vt.feed(b"\x1b[2;5r\x1b[?6h\x1b[?2004h\x1b[?1002;1006h\x1b[>5u\x1b(0\x1b7\x1b[3g\x1b[4:3;58;2;1;2;3mcurly\x1b[m");
    vt.feed(b"\x1b[?1049hfull screen");
    vt.settle();
    vt.feed(b"\x1b[2J\x1b[Hanother page\x1b[?2026hhalf a frame \x1b[3");
    vt
}

/// What readers see.
fn shown(vt: &Vt) -> String {
    let mut out = String::new();
    let cursor = vt.cursor();
    let _ = writeln!(
        out,
        "{}x{} seq {} cursor {},{}",
        vt.size().cols,
        vt.size().rows,
        vt.seq(),
        cursor.row,
        cursor.col
    );
    let _ =
        writeln!(out, "title {:?} directory {:?} alt {}", vt.title(), vt.directory(), vt.modes().alt_screen);
    for row in 0..vt.size().rows {
        let _ = writeln!(out, "screen {:?}", vt.row_ansi(row));
    }
    for line in vt.history_ansi() {
        let _ = writeln!(out, "history {line:?}");
    }
    out
}

/// What readers see after more output: it completes the sequence, ends the frame and leaves the alternate screen.
fn after_more_output(mut vt: Vt) -> String {
    vt.feed(b"1mred\x1b[?2026l\x1b[?1049l\x1b8back\r\n");
    assert_eq!(vt.verify(), Ok(()));
    shown(&vt)
}

#[test]
fn states_of_every_format_are_read() {
    let newest = folder().join(format!("{}.state", Vt::WRITES));
    if std::env::var_os("WRITE_STATE").is_some() && !newest.exists() {
        std::fs::write(&newest, busy().state()).unwrap();
        let text = shown(&busy()) + "\ngone on:\n" + &after_more_output(busy());
        std::fs::write(newest.with_extension("txt"), text).unwrap();
    }
    assert!(newest.exists(), "tests/states has no state of format {}: see the top of this file", Vt::WRITES);
    for format in Vt::READS.0..=Vt::READS.1 {
        let file = folder().join(format!("{format}.state"));
        let vt = Vt::restore(&std::fs::read(&file).unwrap()).unwrap_or_else(|e| panic!("{format}: {e}"));
        let text = std::fs::read_to_string(file.with_extension("txt")).unwrap();
        assert_eq!(shown(&vt) + "\ngone on:\n" + &after_more_output(vt), text, "format {format}");
    }
}
