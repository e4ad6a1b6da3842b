use std::fmt;

use crate::args::Args;
use crate::check::same_screens;
use crate::clock::cpu_seconds;
use crate::corpus::Corpus;
use crate::engine::{Kind, Size, feed_all};

/// One corpus at one size.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) corpus: Corpus,
    pub(crate) size: Size,
    /// Megabytes (10⁶) a second, in the order of the engines.
    pub(crate) speeds: Vec<(Kind, f64)>,
    /// Cotty's ratio to alacritty within one repetition.
    pub(crate) spread: Option<Spread>,
}

/// How much a ratio varies between repetitions because of other load on the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) middle: f64,
    pub(crate) most: f64,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.middle, self.least, self.most)
    }
}

/// Feeds every corpus to new instances of every engine, alternating, and takes the best repetition of each.
pub(crate) fn measure(args: &Args) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for size in &args.sizes {
        for corpus in &args.corpora {
            let bytes = corpus.bytes(*size, args.mib << 20)?;
            same_screens(&args.engines, *corpus, *size, &bytes)?;
            eprint!("throughput {:6} {:9}", size.label(), corpus.name());
            rows.push(one(args, *corpus, *size, &bytes));
        }
    }
    Ok(rows)
}

fn one(args: &Args, corpus: Corpus, size: Size, bytes: &[u8]) -> Row {
    let megabytes = bytes.len() as f64 / 1e6;
    let mut turns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..args.reps {
        let turn = args.engines.iter().map(|kind| {
            let mut engine = kind.make(size);
            megabytes / cpu_seconds(|| feed_all(engine.as_mut(), bytes))
        });
        turns.push(turn.collect());
    }
    let best = |at: usize| turns.iter().map(|turn| turn[at]).fold(0.0, f64::max);
    let speeds: Vec<_> = args.engines.iter().enumerate().map(|(at, kind)| (*kind, best(at))).collect();
    for (kind, speed) in &speeds {
        eprint!("  {} {speed:.0}", kind.name());
    }
    let spread = spread(&args.engines, &turns);
    let note = spread.map_or(String::new(), |spread| format!("  cotty / alacritty {spread}"));
    eprintln!(" MB/s{note}");
    Row { corpus, size, speeds, spread }
}

fn spread(engines: &[Kind], turns: &[Vec<f64>]) -> Option<Spread> {
    let find = |kind| engines.iter().position(|known| *known == kind);
    let (ours, theirs) = find(Kind::Cotty).zip(find(Kind::Alacritty))?;
    let mut ratios: Vec<f64> = turns.iter().map(|turn| turn[ours] / turn[theirs]).collect();
    ratios.sort_by(f64::total_cmp);
    Some(Spread { least: *ratios.first()?, middle: ratios[ratios.len() / 2], most: *ratios.last()? })
}
