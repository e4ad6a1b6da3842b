use cotty_vt::{Options, Painter, Vt};

use crate::args::Args;
use crate::clock::best_of;
use crate::corpus::Corpus;
use crate::engine::{CHUNK, HISTORY, Size, filling_history};

/// Calls per measurement.
const ROUNDS: usize = 20;

/// Enough text to fill the history at any size measured.
const ENOUGH: usize = 4 << 20;

/// Features that only cotty has, at one size.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) size: Size,
    /// Names and times in µs.
    pub(crate) times: Vec<(&'static str, f64)>,
    /// Bytes of the state with a full history.
    pub(crate) state: usize,
}

/// Measures state, restore, clone and painting on styled text with a full history.
pub(crate) fn measure(args: &Args) -> Result<Vec<Own>, String> {
    args.sizes.iter().map(|size| at(*size, args.reps)).collect()
}

fn at(size: Size, reps: usize) -> Result<Own, String> {
    let corpus = Corpus::Sgr.bytes(size, ENOUGH)?;
    let mut vt =
        Vt::with_options(Options { size: size.into(), history_lines: HISTORY, ..Options::default() });
    for chunk in filling_history(&corpus, size).chunks(CHUNK) {
        vt.feed(chunk);
        vt.take_effects();
    }
    let state = vt.state();
    Vt::restore(&state).map_err(|error| error.to_string())?;
    let mut times = vec![
        ("`state()`, full history", best_of(reps, ROUNDS, || vt.state())),
        ("`restore()`, full history", best_of(reps, ROUNDS, || Vt::restore(&state))),
        ("`clone()`, full history", best_of(reps, ROUNDS, || vt.clone())),
        ("`Painter::full`", best_of(reps, ROUNDS, || Painter::new().full(&vt))),
    ];
    let mut painter = Painter::new();
    painter.full(&vt);
    times.push(("`Painter::diff`, nothing changed", best_of(reps, ROUNDS, || painter.diff(&vt))));
    // The time includes the short feed, which costs far less than the paint.
    let mut turn = 0_u32;
    let mut typed = || {
        turn += 1;
        vt.feed(format!("\r{turn:08} words typed into one row").as_bytes());
        painter.diff(&vt)
    };
    times.push(("one row typed, `Painter::diff`", best_of(reps, ROUNDS, &mut typed)));
    let times: Vec<_> = times.into_iter().map(|(what, seconds)| (what, seconds * 1e6)).collect();
    eprintln!("own {} {times:.1?}", size.label());
    Ok(Own { size, times, state: state.len() })
}
