//! Whatever a program writes, the terminal's state is accepted again and the terminal goes on from it.
//!
//! `RESTORE_STREAMS` says how many random streams are tried, `RESTORE_SEED` which is the first. A stream that
//! fails is printed with its seed, made as short as it gets, in the words of `tests/cases`.

mod rng;
mod shorten;
mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cotty_vt::Vt;
use stream::{Step, Stream};

/// Streams of a usual test run: some seconds.
const STREAMS: u64 = 10_000;

#[test]
fn every_state_is_accepted_again() {
    let first = number("RESTORE_SEED").unwrap_or(0);
    let count = number("RESTORE_STREAMS").unwrap_or(STREAMS);
    assert!(count > 0, "RESTORE_STREAMS is 0: nothing to try");
    for seed in first..first + count {
        let stream = stream::random(seed);
        if let Err(reason) = attempt(&stream) {
            let short = shorten::shorten(stream, |shorter| attempt(shorter).is_err());
            let now = attempt(&short).unwrap_err();
            panic!("seed {seed}: {reason}\nshortened, {now}:\n{short}");
        }
    }
}

fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name}={value:?} is no number")))
}

/// Tries a stream; a panic of the engine is a failure like any other.
fn attempt(stream: &Stream) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(stream))).unwrap_or_else(|_| Err("the engine panicked".into()))
}

/// Everything holds after every step, and the terminal can be restored in the middle and at the end. The one that
/// was restored in the middle is given the rest byte by byte and must come to the same end.
fn check(stream: &Stream) -> Result<(), String> {
    let mut vt = Vt::with_options(stream.options);
    let mut other: Option<Vt> = None;
    for (at, step) in stream.steps.iter().enumerate() {
        if at == stream.restored_at {
            vt.take_effects();
            other = Some(restored(&vt)?);
        }
        apply(step, &mut vt, false);
        vt.verify().map_err(|reason| format!("verify: {reason}"))?;
        if let Some(other) = &mut other {
            apply(step, other, true);
        }
    }
    let again = restored(&vt)?;
    expect(again.screen_text() == vt.screen_text(), "the restored screen differs")?;
    expect(again.history_ansi().eq(vt.history_ansi()), "the restored history differs")?;
    let Some(mut other) = other else { return Ok(()) };
    expect(other.state() == vt.state(), "what was restored in the middle went on otherwise")?;
    expect(other.take_effects() == vt.take_effects(), "what was restored in the middle had other effects")
}

/// The terminal that the state of this one makes.
fn restored(vt: &Vt) -> Result<Vt, String> {
    let state = vt.state();
    let again = Vt::restore(&state).map_err(|reason| format!("restore: {reason}"))?;
    expect(again.state() == state, "a restored terminal gives another state")?;
    Ok(again)
}

fn expect(holds: bool, reason: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason.into()) }
}

fn apply(step: &Step, vt: &mut Vt, bytewise: bool) {
    match step {
        Step::Feed(bytes) if bytewise => bytes.chunks(1).for_each(|byte| vt.feed(byte)),
        Step::Feed(bytes) => vt.feed(bytes),
        Step::Resize(size) => vt.resize(*size),
        Step::HistoryLines(lines) => vt.set_history_lines(*lines),
        Step::Settle => vt.settle(),
        Step::ShowUnfinished => vt.show_unfinished(),
    }
}
