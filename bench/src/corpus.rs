mod screen;
mod styled;
mod text;
mod unicode;

use std::path::Path;

use crate::engine::Size;

/// The programs of [`Corpus::Recorded`], one recording each.
const RECORDINGS: [&str; 4] = ["vim", "less", "htop", "tmux"];

/// The inputs. All but the recordings are generated, with the same result each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Corpus {
    Plain,
    Sgr,
    Dense,
    Scroll,
    Unicode,
    Recorded,
    Long,
}

impl Corpus {
    pub(crate) const ALL: [Corpus; 7] = [
        Corpus::Plain,
        Corpus::Sgr,
        Corpus::Dense,
        Corpus::Scroll,
        Corpus::Unicode,
        Corpus::Recorded,
        Corpus::Long,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Corpus::Plain => "plain",
            Corpus::Sgr => "sgr",
            Corpus::Dense => "dense",
            Corpus::Scroll => "scroll",
            Corpus::Unicode => "unicode",
            Corpus::Recorded => "recorded",
            Corpus::Long => "long",
        }
    }

    /// The name in the tables.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Corpus::Plain => "plain log lines",
            Corpus::Sgr => "SGR on every word",
            Corpus::Dense => "dense: cursor + truecolor per cell",
            Corpus::Scroll => "scroll regions",
            Corpus::Unicode => "CJK, emoji ZWJ, combining",
            Corpus::Recorded => "recorded vim, less, htop, tmux",
            Corpus::Long => "long lines, no newline",
        }
    }

    /// Whether every engine must show the same screen; with the other corpora engines legitimately differ in places.
    pub(crate) fn shows_the_same(self) -> bool {
        matches!(self, Corpus::Plain | Corpus::Sgr | Corpus::Dense | Corpus::Long)
    }

    /// At least `len` bytes, up to the end of a line, a frame or a recording.
    pub(crate) fn bytes(self, size: Size, len: usize) -> Result<Vec<u8>, String> {
        let mut random = Random::new(self as u64 + 1);
        let mut out = Vec::with_capacity(len + (1 << 20));
        let recordings = if self == Corpus::Recorded { recordings()? } else { Vec::new() };
        while out.len() < len {
            match self {
                Corpus::Plain => text::log_line(&mut out, &mut random),
                Corpus::Sgr => styled::line(&mut out, &mut random),
                Corpus::Dense => screen::dense(&mut out, &mut random, size),
                Corpus::Scroll => screen::regions(&mut out, &mut random, size),
                Corpus::Unicode => unicode::line(&mut out, &mut random),
                Corpus::Recorded => out.extend_from_slice(&recordings),
                Corpus::Long => text::json(&mut out, &mut random),
            }
        }
        Ok(out)
    }
}

fn recordings() -> Result<Vec<u8>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/recordings");
    let mut out = Vec::new();
    for name in RECORDINGS {
        let bytes = std::fs::read(folder.join(format!("{name}.bin"))).map_err(|error| {
            format!("target/recordings/{name}.bin: {error}; run `tools/record` in the repository")
        })?;
        out.extend_from_slice(&bytes);
    }
    if out.is_empty() {
        return Err("the recordings are empty; run `tools/record` in the repository".to_owned());
    }
    Ok(out)
}

/// SplitMix64: gives the same corpus on every machine, without a dependency.
pub(crate) struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `from..to`.
    fn within(&mut self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.within(0, count) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.within(0, from.len() as u64) as usize]
    }
}

/// Appends formatted text; writing to a vector cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        let _ = std::io::Write::write_fmt($out, format_args!($($arg)*));
    }};
}
use put;
