use crate::args::Args;
use crate::check::same_screens;
use crate::clock::{best_of, cpu_seconds};
use crate::corpus::Corpus;
use crate::engine::{Kind, Size, feed_all, filling_history};

/// Calls per measurement of a read.
const ROUNDS: usize = 300;

/// Enough text to fill the history at 80 columns.
const ENOUGH: usize = 4 << 20;

/// The time of one read of the screen, µs.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) size: Size,
    pub(crate) times: Vec<(Kind, f64)>,
}

/// Reads a screen full of log lines, in the fastest way that each engine's API offers.
pub(crate) fn text(args: &Args) -> Result<Vec<Text>, String> {
    let mut rows = Vec::new();
    for size in &args.sizes {
        let bytes = Corpus::Plain.bytes(*size, 1 << 20)?;
        same_screens(&args.engines, Corpus::Plain, *size, &bytes)?;
        let mut engines: Vec<_> = args.terminals().into_iter().map(|kind| (kind, kind.make(*size))).collect();
        for (_, engine) in &mut engines {
            feed_all(engine.as_mut(), &bytes);
        }
        let mut times: Vec<(Kind, f64)> = engines.iter().map(|(kind, _)| (*kind, f64::INFINITY)).collect();
        for _ in 0..args.reps {
            for ((_, engine), (_, best)) in engines.iter().zip(&mut times) {
                *best = best.min(best_of(1, ROUNDS, || engine.text()) * 1e6);
            }
        }
        progress(&format!("text {}", size.label()), &times, "µs");
        rows.push(Text { size: *size, times });
    }
    Ok(rows)
}

/// The time in ms to resize 80 → 60 → 80 columns with a full history and to read the screen after each step.
pub(crate) fn resizing(args: &Args) -> Result<Vec<(Kind, f64)>, String> {
    let narrow = Size { cols: 60, ..Size::SMALL };
    let bytes = Corpus::Plain.bytes(Size::SMALL, ENOUGH)?;
    let bytes = filling_history(&bytes, Size::SMALL);
    let mut times: Vec<(Kind, f64)> =
        args.terminals().into_iter().map(|kind| (kind, f64::INFINITY)).collect();
    for _ in 0..args.reps {
        for (kind, best) in &mut times {
            let mut engine = kind.make(Size::SMALL);
            feed_all(engine.as_mut(), bytes);
            let spent = cpu_seconds(|| {
                engine.resize(narrow);
                let first = engine.text();
                engine.resize(Size::SMALL);
                (first, engine.text())
            });
            *best = best.min(spent * 1e3);
        }
    }
    progress("resize 80→60→80", &times, "ms");
    Ok(times)
}

fn progress(what: &str, times: &[(Kind, f64)], unit: &str) {
    eprint!("{what:20}");
    for (kind, time) in times {
        eprint!("  {} {time:.2}", kind.name());
    }
    eprintln!(" {unit}");
}
