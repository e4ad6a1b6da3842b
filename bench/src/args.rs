use crate::corpus::Corpus;
use crate::daemon::writer::{Mode, Writer};
use crate::engine::{Kind, Size};

/// What `--help` says.
pub(crate) const USAGE: &str = "\
Measures cotty's engine beside its peers, and its daemon beside the bare kernel. Without options: everything, into
docs/benchmarks.md; with --page the daemon's or MCP's part of that page alone. With any other option only tables are printed.

  --quick            3 repetitions instead of 7, and idle for 10 seconds
  --only PARTS       of throughput, memory, reading, own, daemon, mcp
  --corpus NAMES     of plain, sgr, dense, scroll, unicode, recorded, long
  --size SIZES       of 80x24, 200x50, or any other
  --engines NAMES    of cotty, alacritty, vt100, avt, vte
  --reps N           repetitions, of which the best counts (7)
  --page PART        of daemon, mcp: that alone, into its part of docs/benchmarks.md
  --idle SECONDS     how long a thousand idle sessions are watched (60)
  --mib N            size of each corpus (16); below 8 filling the history weighs too much

Several names stand with commas between them.";

/// The parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Throughput,
    Memory,
    Reading,
    Own,
    Daemon,
    Mcp,
}

const PARTS: [(&str, Part); 6] = [
    ("throughput", Part::Throughput),
    ("memory", Part::Memory),
    ("reading", Part::Reading),
    ("own", Part::Own),
    ("daemon", Part::Daemon),
    ("mcp", Part::Mcp),
];

/// What to measure.
#[derive(Debug, Clone)]
pub(crate) struct Args {
    pub(crate) parts: Vec<Part>,
    pub(crate) corpora: Vec<Corpus>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) engines: Vec<Kind>,
    pub(crate) reps: usize,
    pub(crate) mib: usize,
    /// Seconds.
    pub(crate) idle: u64,
    /// Whether one part of the docs is replaced.
    pub(crate) page: bool,
    /// Whether nothing was left out, so that the table in the docs may be replaced.
    pub(crate) whole: bool,
    /// Set in the process that measures one engine's memory.
    pub(crate) probe: Option<Probe>,
    /// Set in the program that the daemon's terminals are measured with.
    pub(crate) writer: Option<Writer>,
}

/// One measurement of memory; the bytes to feed come on standard input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe {
    pub(crate) engine: Kind,
    pub(crate) size: Size,
    pub(crate) sessions: usize,
}

impl Default for Args {
    fn default() -> Args {
        Args {
            parts: PARTS.map(|(_, part)| part).to_vec(),
            corpora: Corpus::ALL.to_vec(),
            sizes: vec![Size::SMALL, Size::LARGE],
            engines: Kind::ALL.to_vec(),
            reps: 7,
            mib: 16,
            idle: 60,
            page: false,
            whole: true,
            probe: None,
            writer: None,
        }
    }
}

impl Args {
    /// The options given; nothing if help was asked for.
    pub(crate) fn parse(mut given: impl Iterator<Item = String>) -> Result<Option<Args>, String> {
        let mut args = Args::default();
        while let Some(option) = given.next() {
            args.whole = false;
            let mut value = || given.next().ok_or(format!("{option} needs a value"));
            match option.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => (args.reps, args.idle) = (3, 10),
                "--only" => args.parts = list(&value()?, part)?,
                "--corpus" => args.corpora = list(&value()?, corpus)?,
                "--size" => args.sizes = list(&value()?, size)?,
                "--engines" => args.engines = list(&value()?, engine)?,
                "--reps" => args.reps = number(&value()?)?,
                "--mib" => args.mib = number(&value()?)?,
                "--idle" => args.idle = number(&value()?)? as u64,
                "--page" => (args.page, args.parts) = (true, list(&value()?, section)?),
                "--writer" => {
                    let mode = if value()? == "raw" { Mode::Raw } else { Mode::Cooked };
                    let (mib, endless) = (number(&value()?)?, value()? == "endless");
                    args.writer = Some(Writer { mode, mib, endless, result: value()?.into() });
                }
                "--probe" => {
                    let (engine, size, sessions) = (engine(&value()?), size(&value()?), number(&value()?)?);
                    let (engine, size) = engine.zip(size).ok_or("--probe ENGINE SIZE SESSIONS")?;
                    args.probe = Some(Probe { engine, size, sessions });
                }
                _ => return Err(format!("unknown option {option}")),
            }
        }
        Ok(Some(args))
    }

    /// Whether this part was asked for.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The engines asked for that keep a screen.
    pub(crate) fn terminals(&self) -> Vec<Kind> {
        self.engines.iter().copied().filter(|kind| kind.is_terminal()).collect()
    }
}

fn list<T>(value: &str, find: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    value.split(',').map(|name| find(name).ok_or(format!("unknown name {name}"))).collect()
}

fn number(value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|number| *number > 0).ok_or(format!("not a number above zero: {value}"))
}

fn part(name: &str) -> Option<Part> {
    PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
}

/// Those that have a section of their own.
fn section(name: &str) -> Option<Part> {
    part(name).filter(|part| matches!(part, Part::Daemon | Part::Mcp))
}

fn corpus(name: &str) -> Option<Corpus> {
    Corpus::ALL.into_iter().find(|corpus| corpus.name() == name)
}

fn engine(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

fn size(name: &str) -> Option<Size> {
    let (cols, rows) = name.split_once('x')?;
    let size = Size { cols: cols.parse().ok()?, rows: rows.parse().ok()? };
    (size.cols >= 10 && size.rows >= 8).then_some(size)
}
