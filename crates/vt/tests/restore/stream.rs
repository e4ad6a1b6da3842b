//! Random streams of input that has broken terminal engines before, densely mixed.

use std::fmt;

use cotty_vt::{Allow, Options, Size};

use crate::rng::Rng;

/// A sequence of steps for one terminal.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) options: Options,
    pub(crate) steps: Vec<Step>,
    /// Before which step the terminal is restored.
    pub(crate) restored_at: usize,
}

#[derive(Clone)]
pub(crate) enum Step {
    /// Output of the program, in one piece.
    Feed(Vec<u8>),
    Resize(Size),
    HistoryLines(usize),
    Settle,
    ShowUnfinished,
}

/// The proportions of a stream: rare bugs need their ingredients close together.
#[derive(Clone, Copy)]
struct Mix {
    text: usize,
    words: usize,
    controls: usize,
    sequences: usize,
    steps: usize,
    /// How many different characters the stream uses; with few, each pair occurs more often.
    alphabet: usize,
}

const MIXES: &[Mix] = &[
    Mix { text: 10, words: 3, controls: 3, sequences: 6, steps: 1, alphabet: 200 },
    Mix { text: 10, words: 1, controls: 3, sequences: 2, steps: 0, alphabet: 5 },
    Mix { text: 20, words: 2, controls: 1, sequences: 1, steps: 1, alphabet: 8 },
    Mix { text: 8, words: 4, controls: 4, sequences: 8, steps: 2, alphabet: 12 },
    Mix { text: 3, words: 6, controls: 4, sequences: 12, steps: 2, alphabet: 200 },
    // One cause of irregularity in a row hides all others, so some mixes are mostly plain.
    Mix { text: 3, words: 6, controls: 8, sequences: 4, steps: 1, alphabet: 1 },
    Mix { text: 6, words: 3, controls: 4, sequences: 1, steps: 1, alphabet: 3 },
];

/// The stream of a seed.
pub(crate) fn random(seed: u64) -> Stream {
    let mut rng = Rng::new(seed);
    let mut size = small(&mut rng);
    if rng.once_in(40) {
        size = Size { cols: 80, rows: 24 };
    }
    let (history_lines, history_bytes) =
        rng.pick(&[(20, 4000), (20, 4000), (20, 4000), (3, 300), (0, 0), (10_000, 1 << 20)]);
    let allow = if rng.once_in(2) { Allow::ALL } else { Allow::default() };
    let options = Options { size, history_lines, history_bytes, allow };

    let mix = rng.pick(MIXES);
    let mut alphabet: Vec<&str> = (0..mix.alphabet).map(|_| rng.pick(CHARACTERS)).collect();
    alphabet.push(rng.pick(JOINING));
    let longest = rng.pick(&[6, 20, 60, 120]);
    let mut steps: Vec<Step> = (0..rng.between(1, longest)).map(|_| step(&mut rng, mix, &alphabet)).collect();
    if rng.once_in(400) {
        let flood = Step::Feed(flood(&mut rng, &alphabet));
        let at = rng.below(steps.len() + 1);
        steps.insert(at, flood);
    }
    let restored_at = rng.below(steps.len());
    Stream { options, steps, restored_at }
}

/// Small screens, so that a short stream reaches all their edges.
fn small(rng: &mut Rng) -> Size {
    Size { cols: rng.between(2, 12) as u16, rows: rng.between(1, 6) as u16 }
}

fn step(rng: &mut Rng, mix: Mix, alphabet: &[&str]) -> Step {
    let mut kind = rng.below(mix.text + mix.words + mix.controls + mix.sequences + mix.steps);
    let mut is = |weight: usize| {
        let found = kind < weight;
        kind = kind.wrapping_sub(weight);
        found
    };
    let bytes = if is(mix.text) {
        text(rng, alphabet)
    } else if is(mix.words) {
        word(rng)
    } else if is(mix.controls) {
        vec![rng.pick(CONTROLS)]
    } else if is(mix.sequences) {
        sequence(rng)
    } else {
        return match rng.below(8) {
            0 => Step::Settle,
            1 => Step::ShowUnfinished,
            2 => Step::HistoryLines(rng.below(30)),
            _ => Step::Resize(small(rng)),
        };
    };
    Step::Feed(bytes)
}

fn text(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..rng.pick(&[1, 1, 2, 3, 5]) {
        match rng.below(40) {
            0 => text.extend(char::from_u32(rng.below(0x11_0000) as u32)),
            1 => text.extend(char::from_u32(rng.below(0x2_0000) as u32)),
            _ => text.push_str(rng.pick(alphabet)),
        }
    }
    text.into_bytes()
}

fn word(rng: &mut Rng) -> Vec<u8> {
    let len = rng.pick(&[1, 1, 2, 5, 14, 30]);
    (0..len).map(|_| rng.pick(b"  abcxyz019#*-~")).collect()
}

fn sequence(rng: &mut Rng) -> Vec<u8> {
    match rng.below(120) {
        0 => return (0..rng.between(1, 5)).map(|_| rng.below(256) as u8).collect(),
        1 => return rng.pick(&["\x1b[", "\x1b]2;x", "\x1b", "\x1bP", "\x1b[1;", "\u{2}\x1b_"]).into(),
        _ => {}
    }
    let mut out = String::new();
    for c in rng.pick(SEQUENCES).chars() {
        match c {
            '%' if rng.once_in(20) => out.push_str(&rng.pick(&[70, 99, 400]).to_string()),
            '%' => out.push_str(&rng.below(9).to_string()),
            c => out.push(c),
        }
    }
    out.into_bytes()
}

/// Enough output to seal chunks of the history and to sweep tables.
fn flood(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    let ends = rng.pick(&["", "\r\n"]);
    let word = String::from_utf8_lossy(&word(rng)).into_owned();
    let kind = rng.below(5);
    let mut out = String::new();
    for n in 0..rng.between(1000, 4000) {
        match kind {
            0 => out.push_str(&word),
            1 => out.push_str(rng.pick(alphabet)),
            2 => out.push_str(&format!("\x1b[38;2;{};{};7mx", n % 256, n / 256)),
            3 => out.push_str(&format!("\x1b]8;;http://h/{n}\x07x")),
            _ => out.push_str(&format!("e{}", ["\u{301}", "\u{302}\u{303}", "\u{323}"].concat())),
        }
        out.push_str(ends);
    }
    out.into_bytes()
}

/// Characters with a width that join anything: half-width katakana marks, skin tones, Thai and Lao AM.
const JOINING: &[&str] = &["\u{ff9e}", "\u{ff9f}", "🏻", "🏽", "🏿", "\u{e33}", "\u{eb3}"];

/// Other characters of every cluster class, with and without a width.
const CHARACTERS: &[&str] = &[
    // Characters that break clusters; the first one has a width.
    "\u{ad}",
    "\u{200b}",
    "\u{2060}",
    "\u{2028}",
    "\u{feff}",
    "\u{61c}",
    // Joiner, non-joiner, variation selectors, tags, keycap.
    "\u{200d}",
    "\u{200c}",
    "\u{fe0e}",
    "\u{fe0f}",
    "\u{e0067}",
    "\u{e007f}",
    "\u{20e3}",
    // Spacing and nonspacing marks.
    "\u{301}",
    "\u{323}",
    "\u{e31}",
    "\u{93c}",
    "\u{93e}",
    "\u{903}",
    "\u{1f3fb}\u{301}",
    // Viramas, a letter that stacks, consonants.
    "\u{94d}",
    "\u{9cd}",
    "\u{1039}",
    "\u{17d2}",
    "\u{1cf5}",
    "क",
    "ष",
    "\u{995}",
    "\u{1000}",
    "\u{1780}",
    // Halves of flags.
    "🇩",
    "🇪",
    "🇯",
    "🇩🇪",
    // Hangul, and the vowels that compose in the same way.
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "가",
    "각",
    "\u{3164}",
    "\u{115f}",
    "\u{16d67}",
    "\u{16d68}",
    // Pictographs, wide or only with U+FE0F.
    "👩",
    "🌈",
    "🏳",
    "❤",
    "☎",
    "⚠",
    "©",
    "👩\u{200d}👩",
    "1",
    "#",
    "1\u{fe0f}\u{20e3}",
    // Letters, wide and narrow; a prepended sign; noncharacters.
    "日",
    "本",
    "ａ",
    "é",
    "─",
    "ก",
    "\u{600}",
    "\u{fffd}",
    "\u{ffff}",
    "a",
    "b",
    " ",
    "e\u{301}",
    // C1 controls as UTF-8, and a private character.
    "\u{85}",
    "\u{9b}",
    "\u{e0b0}",
];

/// The line feed and the carriage return are what programs write most.
const CONTROLS: &[u8] = b"\0\x05\x07\x08\x08\t\t\n\n\n\r\r\x0b\x0c\x0e\x0f\x18\x1a\x7f";

/// Sequences with small numbers, so that they hit a small screen; `%` stands for a number.
const SEQUENCES: &[&str] = &[
    // Cursor.
    "\x1b[%A",
    "\x1b[%B",
    "\x1b[%C",
    "\x1b[%D",
    "\x1b[%E",
    "\x1b[%F",
    "\x1b[%G",
    "\x1b[%;%H",
    "\x1b[%I",
    "\x1b[%Z",
    "\x1b[%d",
    "\x1b[%e",
    "\x1b[%g",
    "\x1b7",
    "\x1b8",
    "\x1b[s",
    "\x1b[u",
    "\x1bH",
    "\x1b[?25l",
    "\x1b[?25h",
    // Erasing, inserting, deleting, repeating.
    "\x1b[%J",
    "\x1b[%K",
    "\x1b[%X",
    "\x1b[%@",
    "\x1b[%P",
    "\x1b[%L",
    "\x1b[%M",
    "\x1b[%b",
    "\x1b[2%b",
    "\x1b[2J",
    "\x1b[?%J",
    "\x1b[?%K",
    "\x1b[1\"q",
    "\x1b[0\"q",
    "\x1bV",
    "\x1bW",
    "\x1b[4h",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b#8",
    // Scrolling and its region.
    "\x1b[%S",
    "\x1b[%T",
    "\x1b[%;%r",
    "\x1b[r",
    "\x1bD",
    "\x1bE",
    "\x1bM",
    "\r\n",
    "\r\n",
    "\r\n",
    "\n\n\n",
    // Styles and links.
    "\x1b[m",
    "\x1b[3%m",
    "\x1b[4%m",
    "\x1b[4:%m",
    "\x1b[48;5;%m",
    "\x1b[38:2::%:%:%m",
    "\x1b[%;%m",
    "\x1b]8;;http://h/%\x07",
    "\x1b]8;id=%;http://h/%\x1b\\",
    "\x1b]8;;\x07",
    // Modes.
    "\x1b[?2027h",
    "\x1b[?2027l",
    "\x1b[?7h",
    "\x1b[?7l",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[?45h",
    "\x1b[?1045h",
    "\x1b[?41h",
    "\x1b[20h",
    "\x1b[20l",
    "\x1b[?47h",
    "\x1b[?47l",
    "\x1b[?1047h",
    "\x1b[?1047l",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?1048h",
    "\x1b[?1048l",
    "\x1b[?2026h",
    "\x1b[?2026l",
    "\x1b[!p",
    "\x1bc",
    "\x1b[?5h",
    "\x1b[?40h",
    "\x1b[?3h",
    "\x1b[?3l",
    "\x1b[?95h",
    "\x1b[8;%;1%t",
    "\x1b[>%u",
    "\x1b[<%u",
    "\x1b[>4;%m",
    // Character sets.
    "\x1b(0",
    "\x1b(B",
    "\x1b(A",
    "\x1b)0",
    "\x1b*0",
    "\x1b+0",
    "\x0e",
    "\x0f",
    "\x1bn",
    "\x1bo",
    "\x1bN",
    "\x1bO",
    // Sequences that show nothing on the screen.
    "\x1b]2;title %\x07",
    "\x1b[22;%t",
    "\x1b[23;%t",
    "\x1b]7;file://h/d%\x07",
    "\x1b]133;A\x1b\\",
    "\x1b]133;D;%\x07",
    "\x1bP$qm\x1b\\",
    "\x1b_Gx\x1b\\",
    "\x1b[6n",
    "\x1b[c",
    "\x1b]4;%;#%00\x07",
    "\x1b]104\x07",
    "\x1b[% q",
    "\x1b]52;c;YWI=\x07",
    "\x1b[%;1;%;%;%;%*y",
];

impl fmt::Display for Stream {
    /// In the format of `tests/cases`; steps without a directive there become comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { size, history_lines, history_bytes, allow } = self.options;
        writeln!(f, "size {}x{}", size.cols, size.rows)?;
        writeln!(f, "history {history_lines}")?;
        writeln!(f, "# history_bytes {history_bytes}, {allow:?}")?;
        for (at, step) in self.steps.iter().enumerate() {
            if at == self.restored_at {
                writeln!(f, "# restored here")?;
            }
            match step {
                Step::Feed(bytes) => writeln!(f, "feed \"{}\"", escaped(bytes))?,
                Step::Resize(size) => writeln!(f, "resize {}x{}", size.cols, size.rows)?,
                Step::HistoryLines(lines) => writeln!(f, "# set_history_lines({lines})")?,
                Step::Settle => writeln!(f, "# settle()")?,
                Step::ShowUnfinished => writeln!(f, "# show_unfinished()")?,
            }
        }
        Ok(())
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\x1b' => out.push_str("\\e"),
                '"' | '\\' => out.extend(['\\', c]),
                ' '..='~' => out.push(c),
                _ if c.is_ascii() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
                _ => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}
