//! Properties that hold for any input.
#![expect(clippy::unwrap_used, reason = "a broken property should stop the test")]

use proptest::test_runner::{Config, RngSeed};

mod bounds;
mod frame;
mod input;
mod paint;
mod resize;
mod stream;
mod text;
mod viewer;

/// Uses the same inputs each time, so that a failure comes from the current change; `PROPTEST_RNG_SEED` and
/// `PROPTEST_CASES` try others. A failing input is printed, not saved: a case in `tests/cases` is clearer.
fn config() -> Config {
    let asked = Config::default();
    let rng_seed = match asked.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given => given,
    };
    Config { failure_persistence: None, rng_seed, ..asked }
}
