//! After any output, the terminal's state can be restored, and the restored terminal continues like the original.
//!
//! `RESTORE_STREAMS` sets the number of random streams, `RESTORE_SEED` the first seed. A failing stream is shortened and
//! printed with its seed, in the format of `tests/cases`.

mod rng;
mod shorten;
mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cotty_vt::Vt;
use stream::{Step, Stream};

/// Streams in a normal test run, which takes some seconds.
const STREAMS: u64 = 10_000;

#[test]
fn every_state_can_be_restored() {
    let first = number("RESTORE_SEED").unwrap_or(0);
    let count = number("RESTORE_STREAMS").unwrap_or(STREAMS);
    assert!(count > 0, "RESTORE_STREAMS is 0: nothing to test");
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
    Some(value.parse().unwrap_or_else(|_| panic!("{name}={value:?} is not a number")))
}

/// Checks a stream; a panic of the engine counts as a failure.
fn attempt(stream: &Stream) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(stream))).unwrap_or_else(|_| Err("the engine panicked".into()))
}

/// Checks that all invariants hold after every step, and that the terminal can be restored in the middle and at the end.
/// The terminal restored in the middle is fed the rest byte by byte and must end in the same state.
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
    expect(other.state() == vt.state(), "the terminal restored in the middle has another state")?;
    expect(other.take_effects() == vt.take_effects(), "the terminal restored in the middle has other effects")
}

/// Saves and restores the terminal.
fn restored(vt: &Vt) -> Result<Vt, String> {
    let state = vt.state();
    let again = Vt::restore(&state).map_err(|reason| format!("restore: {reason}"))?;
    expect(again.state() == state, "the restored terminal has another state")?;
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
