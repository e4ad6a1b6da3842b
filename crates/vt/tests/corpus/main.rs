//! Runs the fuzz targets from `fuzz/` without the fuzzer, on the committed corpus and on mutations of it.
//!
//! The fuzzer takes minutes to build, and its coverage counters slow the engine down. So `make test` does not use it;
//! `make fuzz` does. A failing input is saved where the fuzzer would save it, for `cargo fuzz tmin`.
#![expect(clippy::unwrap_used, reason = "a broken property should stop the test")]
#![allow(unused_attributes, reason = "a fuzz target is a program for the fuzzer, but a module here")]

// The targets import the fuzzer's macro and their shared crate; this crate stands in for both.
extern crate self as cotty_fuzz;
extern crate self as libfuzzer_sys;

mod mutation;
#[path = "../../../../fuzz/steps.rs"]
mod shared;

pub use shared::{Step, assert_sound, steps, terminal};

use std::fs;
use std::path::{Path, PathBuf};

use mutation::Mutations;

/// How many mutations each target tries; `FUZZ_MUTATIONS` and `FUZZ_SEED` change the number and the seed.
const MUTATIONS: u64 = 300;

macro_rules! targets {
    ($($name:ident: $path:literal,)*) => {$(
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            check(stringify!($name), $name::run);
        }
    )*};
}

targets! {
    feed: "../../../../fuzz/fuzz_targets/feed.rs",
    keys: "../../../../fuzz/fuzz_targets/keys.rs",
    paint: "../../../../fuzz/fuzz_targets/paint.rs",
    split: "../../../../fuzz/fuzz_targets/split.rs",
    state: "../../../../fuzz/fuzz_targets/state.rs",
}

fn check(target: &str, run: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut files: Vec<PathBuf> =
        fs::read_dir(fuzz.join("corpus").join(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10, "fuzz/corpus/{target} has too few files");
    let corpus: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let artifacts = fuzz.join("artifacts").join(target);
    for input in &corpus {
        try_one(&artifacts, input, run);
    }
    let dictionary = mutation::dictionary(&fs::read_to_string(fuzz.join("vt.dict")).unwrap());
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let mut mutations = Mutations::new(number("FUZZ_SEED").unwrap_or(1), &corpus, &dictionary);
    for _ in 0..number("FUZZ_MUTATIONS").unwrap_or(MUTATIONS) {
        try_one(&artifacts, &mutations.next_input(), run);
    }
}

fn try_one(artifacts: &Path, input: &[u8], run: fn(&[u8])) {
    let guard = SaveOnPanic { artifacts, input };
    run(input);
    drop(guard);
}

/// Saves the input if the target panics.
struct SaveOnPanic<'a> {
    artifacts: &'a Path,
    input: &'a [u8],
}

impl Drop for SaveOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let file = self.artifacts.join("mutation");
            let saved = fs::create_dir_all(self.artifacts).and_then(|()| fs::write(&file, self.input));
            eprintln!(
                "failing input: {} ({saved:?}): {:?}",
                file.display(),
                self.input.escape_ascii().to_string()
            );
        }
    }
}

// After the targets, which import the macro by path.
/// Defines a fuzz target, which is a function here.
#[macro_export]
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:block) => {
        pub(crate) fn run($data: &[u8]) $body
    };
}
