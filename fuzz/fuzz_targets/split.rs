//! The result does not depend on where the output is split.
#![no_main]

use cotty_fuzz::{Step, steps, terminal};
use cotty_vt::Vt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((mut whole, rest)) = terminal(data) else { return };
    let mut halves = whole.clone();
    let mut bytes = whole.clone();
    for step in steps(rest) {
        step.apply(&mut whole);
        match step {
            Step::Feed(output) => {
                // The input determines where to split. It can also split anywhere with a step.
                let at = output.iter().map(|byte| usize::from(*byte)).sum::<usize>() % output.len();
                let (before, after) = output.split_at(at);
                halves.feed(before);
                halves.feed(after);
                output.iter().for_each(|byte| bytes.feed(&[*byte]));
            }
            other => {
                other.apply(&mut halves);
                other.apply(&mut bytes);
            }
        }
    }
    assert_same(&mut whole.clone(), &mut halves);
    assert_same(&mut whole, &mut bytes);
});

fn assert_same(one: &mut Vt, other: &mut Vt) {
    assert_eq!(one.screen_text(), other.screen_text());
    assert_eq!(one.take_effects(), other.take_effects());
    assert!(one.state() == other.state(), "the states differ");
}
