use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::alloc;
use crate::args::{Args, Probe};
use crate::corpus::Corpus;
use crate::engine::{Engine, Kind, Size, feed_all, filling_history};

/// Enough text to fill the history at any size measured.
const ENOUGH: usize = 4 << 20;

/// One state of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Idle,
    Plain80,
    Sgr80,
    Plain200,
}

impl Case {
    const ALL: [Case; 4] = [Case::Idle, Case::Plain80, Case::Sgr80, Case::Plain200];

    /// The name in the tables.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Case::Idle => "idle 80×24",
            Case::Plain80 => "10,000 rows plain, 80 columns",
            Case::Sgr80 => "10,000 rows SGR, 80 columns",
            Case::Plain200 => "10,000 rows plain, 200 columns",
        }
    }

    fn size(self) -> Size {
        if self == Case::Plain200 { Size::LARGE } else { Size::SMALL }
    }

    /// Enough sessions that single memory pages do not matter.
    fn sessions(self) -> usize {
        if self == Case::Idle { 200 } else { 4 }
    }

    fn input(self) -> Result<Vec<u8>, String> {
        let corpus = match self {
            Case::Idle => return Ok(Vec::new()),
            Case::Sgr80 => Corpus::Sgr,
            Case::Plain80 | Case::Plain200 => Corpus::Plain,
        };
        Ok(filling_history(&corpus.bytes(self.size(), ENOUGH)?, self.size()).to_vec())
    }
}

/// KiB and blocks of one session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    /// Allocated and not freed.
    pub(crate) heap: f64,
    /// The number of allocated blocks; each costs the allocator at least 8 more bytes.
    pub(crate) blocks: f64,
    /// Resident anonymous memory of the process.
    pub(crate) resident: f64,
}

/// One case for all engines.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) case: Case,
    pub(crate) uses: Vec<(Kind, Use)>,
}

/// Measures each engine in each case in a separate process, so that none reuses memory freed by another.
pub(crate) fn measure(args: &Args) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for case in Case::ALL {
        let input = case.input()?;
        eprint!("memory {:30}", case.title());
        let mut uses = Vec::new();
        for kind in args.terminals() {
            let measured = spawn(kind, case, &input)?;
            eprint!("  {} {:.0}", kind.name(), measured.resident);
            uses.push((kind, measured));
        }
        eprintln!(" KiB");
        rows.push(Row { case, uses });
    }
    Ok(rows)
}

/// Measures in this process, and prints the result for [`spawn`].
pub(crate) fn probe(probe: &Probe) -> Result<(), String> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).map_err(|error| error.to_string())?;
    let mut engines: Vec<Box<dyn Engine>> = Vec::with_capacity(probe.sessions);
    let before = resident()?;
    alloc::start();
    for _ in 0..probe.sessions {
        let mut engine = probe.engine.make(probe.size);
        feed_all(engine.as_mut(), &input);
        engines.push(engine);
    }
    let live = alloc::live();
    let resident = resident()? - before;
    println!("{} {} {resident}", live.bytes, live.blocks);
    drop(engines);
    Ok(())
}

fn spawn(kind: Kind, case: Case, input: &[u8]) -> Result<Use, String> {
    let failed = |error: std::io::Error| format!("cannot measure memory: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    let size = format!("{}x{}", case.size().cols, case.size().rows);
    let mut child = Command::new(program)
        .args(["--probe", kind.name(), &size, &case.sessions().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(input)).map_err(failed)?;
    let output = child.wait_with_output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [heap, blocks, resident] = numbers[..] else {
        return Err(format!("cannot measure the memory of {}: no result", kind.name()));
    };
    let sessions = case.sessions() as f64;
    Ok(Use { heap: heap / sessions / 1024.0, blocks: blocks / sessions, resident: resident / sessions })
}

/// KiB of anonymous resident memory of this process.
fn resident() -> Result<i64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse().ok());
    number.ok_or("no RssAnon in /proc/self/status".to_owned())
}
