//! What must hold for any input.
#![expect(clippy::unwrap_used, reason = "a broken property should stop the test")]

use proptest::test_runner::Config;

mod bounds;
mod frame;
mod input;
mod paint;
mod resize;
mod stream;
mod text;
mod viewer;

/// The failing input is printed; a file of old ones would say less than a case of its own.
fn config() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}
