use crate::corpus::Corpus;
use crate::daemon::writer::{Mode, Writer};
use crate::engine::{Kind, Size};

/// The text of `--help`.
pub(crate) const USAGE: &str = "\
Compares cotty's engine with other engines, and its daemon with the bare kernel. Without options it measures everything and
writes docs/benchmarks.md; with --page it replaces one section of that page. With any other option it only prints tables.

  --quick            3 repetitions instead of 7, and 10 seconds idle
  --only PARTS       throughput, memory, reading, own, daemon, mcp
  --corpus NAMES     plain, sgr, dense, scroll, unicode, recorded, long
  --size SIZES       80x24, 200x50, or any other
  --engines NAMES    cotty, alacritty, vt100, avt, vte
  --reps N           repetitions, of which the best counts (7)
  --page PART        daemon, mcp: measure only this part and replace its section of docs/benchmarks.md
  --idle SECONDS     how long to observe a thousand idle sessions (60)
  --mib N            size of each corpus (16); below 8, filling the history distorts the result

Separate several names with commas.";

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
    /// Whether to replace one section of the docs.
    pub(crate) page: bool,
    /// Whether everything is measured, so that the whole page can be replaced.
    pub(crate) whole: bool,
    /// Set in a process that measures the memory of one engine.
    pub(crate) probe: Option<Probe>,
    /// Set in the program that writes to the measured terminals.
    pub(crate) writer: Option<Writer>,
}

/// One measurement of memory; standard input has the bytes to feed.
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
    /// Parses the options; `None` if help was requested.
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

    /// Whether this part was requested.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The requested engines that have a screen.
    pub(crate) fn terminals(&self) -> Vec<Kind> {
        self.engines.iter().copied().filter(|kind| kind.is_terminal()).collect()
    }
}

fn list<T>(value: &str, find: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    value.split(',').map(|name| find(name).ok_or(format!("unknown name {name}"))).collect()
}

fn number(value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|number| *number > 0).ok_or(format!("not a positive number: {value}"))
}

fn part(name: &str) -> Option<Part> {
    PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
}

/// A part with its own section on the page.
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
