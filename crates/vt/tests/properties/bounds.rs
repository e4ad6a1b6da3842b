//! No program can make the terminal exceed its memory limits.

use cotty_vt::{Allow, Options, Size, Vt};

const HISTORY: usize = 100_000;

fn vt() -> Vt {
    let size = Size { cols: 80, rows: 24 };
    Vt::with_options(Options { size, history_lines: 1000, history_bytes: HISTORY, allow: Allow::ALL })
}

/// Feeds `piece(n)` for all n below `count`; returns the size of the largest state.
fn largest(count: u32, piece: impl Fn(u32) -> String) -> usize {
    let mut vt = vt();
    let mut most = 0;
    for n in 0..count {
        vt.feed(piece(n).as_bytes());
        if n % (count / 4) == 0 {
            most = most.max(vt.state().len());
        }
    }
    assert_eq!(vt.verify(), Ok(()));
    most.max(vt.state().len())
}

#[test]
fn no_endless_input_exceeds_its_limit() {
    for (what, count, limit, piece) in FLOODS {
        let most = largest(*count, piece);
        assert!(most <= *limit, "{what}: {most} bytes");
    }
}

/// What is flooded, how many pieces, the limit in bytes, and the piece.
type Flood = (&'static str, u32, usize, fn(u32) -> String);

const FLOODS: &[Flood] = &[
    ("lines", 10_000, 150_000, |n| format!("line {n}\r\n")),
    ("an endless line", 10_000, 300_000, |n| format!("word {n} ")),
    ("styles", 10_000, 300_000, |n| format!("\x1b[38;2;{};{};{}mx", n & 255, n >> 8 & 255, n >> 16)),
    ("styled lines", 10_000, 200_000, |n| format!("\x1b[48;2;{};{};9mx\r\n", n & 255, n >> 8 & 255)),
    ("links", 1_500, 5_000_000, |n| format!("\x1b]8;;http://h/{n}/{}\x07x", "y".repeat(1000))),
    ("linked lines", 5_000, 5_000_000, |n| format!("\x1b]8;;http://h/{n}/{}\x07x\r\n", "y".repeat(1000))),
    ("clusters", 10_000, 500_000, |n| format!("e{}", mark(n).repeat(1 + n as usize % 30))),
    ("one cluster", 10_000, 10_000, mark),
    ("an endless title", 10_000, 100_000, |n| if n == 0 { "\x1b]2;".into() } else { format!("{n} ") }),
    ("titles", 10_000, 100_000, |n| format!("\x1b]2;{}{n}\x07\x1b[22;0t", "t".repeat(100))),
    ("an endless string", 10_000, 100_000, |n| if n == 0 { "\x1bP$q".into() } else { format!("{n} ") }),
    ("an image", 10_000, 100_000, |n| if n == 0 { "\x1b_G".into() } else { "A".repeat(1000) }),
    ("parameters", 10_000, 10_000, |n| if n == 0 { "\x1b[".into() } else { format!("{n};") }),
    ("keyboards", 10_000, 10_000, |n| format!("\x1b[>{}u", n % 32)),
    ("colours", 10_000, 10_000, |n| format!("\x1b]4;{};#{:06x}\x07", n & 255, n & 0xff_ffff)),
    ("the clipboard", 2_000, 100_000, |n| format!("\x1b]52;c;{}\x07", "QUJD".repeat(n as usize))),
    ("frames", 5_000, 150_000, |n| format!("\x1b[?2026hline {n}\r\n")),
    ("resets", 5_000, 150_000, |n| format!("line {n}\x1bc\x1b[?1049h{n}")),
    ("sizes", 500, 50_000, |n| format!("\x1b[8;{};{}t{n}", 1 + n % 40, 2 + n % 90)),
];

fn mark(n: u32) -> String {
    char::from_u32(0x300 + n % 100).map(String::from).unwrap_or_default()
}
