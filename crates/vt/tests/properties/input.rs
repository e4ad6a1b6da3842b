//! Random program output: text, sequences with small numbers, and garbage.

use cotty_vt::{Allow, Options, Size, Vt};
use proptest::prelude::*;

/// Sequences with small numbers, so that they hit a small screen; `%` stands for a number.
const SEQUENCES: &[&str] = &[
    "\x1b[%A",
    "\x1b[%B",
    "\x1b[%C",
    "\x1b[%D",
    "\x1b[%E",
    "\x1b[%F",
    "\x1b[%G",
    "\x1b[%;%H",
    "\x1b[%I",
    "\x1b[%J",
    "\x1b[%K",
    "\x1b[%L",
    "\x1b[%M",
    "\x1b[%P",
    "\x1b[%S",
    "\x1b[%T",
    "\x1b[%X",
    "\x1b[%Z",
    "\x1b[%@",
    "\x1b[%b",
    "\x1b[%d",
    "\x1b[%e",
    "\x1b[%g",
    "\x1b[%;%r",
    "\x1b[%;%m",
    "\x1b[3%m",
    "\x1b[4%m",
    "\x1b[4:%m",
    "\x1b[48;5;%m",
    "\x1b[38:2::%:%:%m",
    "\x1b[58;5;%m",
    "\x1b[0m",
    "\x1b[% q",
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
    "\x1b]2;title %\x07",
    "\x1b]133;A\x1b\\",
    "\x1b]133;D;%\x07",
    "\x1b]7;file://h/d%\x07",
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
    "\x1b[?2J",
    "\x1b[?%J",
    "\x1b[?%K",
    "\x1b[1\"q",
    "\x1b[0\"q",
    "\x1bV",
    "\x1bW",
    "\x1b[?41h",
    "\x1b[?45h",
    "\x1b[?45l",
    "\x1b[?1045h",
    "\x1b[?1045l",
    "\x1b[?40h",
    "\x1b[?3h",
    "\x1b[?3l",
    "\x1b[?95h",
    "\x1b[?95l",
    "\x1b[8;%;1%t",
    "\x1b[22;%t",
    "\x1b[23;%t",
    "\x1b[21t",
    "\x1b[>%t",
    "\x1b[%;1;%;%;%;%*y",
    "\x1b]8;id=%;http://h/%\x1b\\",
    "\x1b]8;;http://h/%\x07",
    "\x1b]8;;\x07",
    "\x1b]4;%;rgb:%0/%0/ff\x07",
    "\x1b]4;%;?\x07",
    "\x1b]104;%\x07",
    "\x1b]104\x07",
    "\x1b]10;%0%0%0;?\x07",
    "\x1b]52;c;YWI=\x07",
    "\x1b]52;c;?\x07",
    "\x1b[>%u",
    "\x1b[=%;%u",
    "\x1b[<%u",
    "\x1b[?u",
    "\x1b[>4;%m",
    "\x1b[?2027h",
    "\x1b[?2027l",
    "\x1b[?2027$p",
    "\x1bN",
    "\x1bO",
    "\x1b*0",
    "\x1b+0",
    "\x1bn",
    "\x1bo",
    "a\x1b[1%b",
    "日\x1b[%b",
    "\x1b[?5W",
    "\x1b[",
    "\x1b]2;x",
    "\x1b",
];

pub(crate) fn piece() -> impl Strategy<Value = Vec<u8>> {
    let sequence =
        (prop::sample::select(SEQUENCES), prop::collection::vec(0u8..9, 6)).prop_map(|(text, numbers)| {
            let mut numbers = numbers.into_iter();
            let put =
                |c: char| if c == '%' { numbers.next().unwrap_or(1).to_string() } else { c.to_string() };
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
            "❤\u{fe0f}",
            "\u{1f1e9}\u{1f1ea}",
            "\u{600}1",
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

pub(crate) fn input() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

pub(crate) fn size() -> impl Strategy<Value = Size> {
    (2u16..12, 1u16..7).prop_map(|(cols, rows)| Size { cols, rows })
}

pub(crate) fn new(size: Size) -> Vt {
    Vt::with_options(Options { size, history_lines: 20, history_bytes: 4000, allow: Allow::ALL })
}

/// A terminal whose history is large enough to drop nothing.
pub(crate) fn roomy(size: Size) -> Vt {
    Vt::with_options(Options { size, allow: Allow::ALL, ..Options::default() })
}

/// Pieces that only append text, line after line, so that the result does not depend on the screen's height.
/// (Every line ends in the default style, because new rows at the bottom of a full screen take the background colour.
/// No text ends with a blank, because reflow removes a blank row at the end of a line.)
pub(crate) fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let sequences = prop::sample::select(
        &[
            "\x1b[0m\r\n",
            "\x1b[0m\r\n",
            "\x1b[0m\r\n\r\n",
            "\x1b[0m",
            "\x1b[1;31m",
            "\x1b[44m",
            "\x1b[4:3;58;5;2m",
            "\x1b[38;2;1;2;3m",
            "\x1b]8;;http://h/1\x07",
            "\x1b]8;;http://h/2\x07",
            "\x1b]8;;\x07",
        ][..],
    );
    let text = prop::sample::select(&["日", "本", "é", "e\u{301}", "👩\u{200d}👩", "❤\u{fe0f}", "─"][..]);
    let piece = prop_oneof![
        3 => "[ -~]{0,13}[!-~]".prop_map(String::into_bytes),
        2 => text.prop_map(|text| text.as_bytes().to_vec()),
        4 => sequences.prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..60)
}
