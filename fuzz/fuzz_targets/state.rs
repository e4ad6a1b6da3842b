//! A restored terminal behaves like the original; bytes that are not a saved terminal are refused.
#![no_main]

use cotty_fuzz::{Step, assert_sound, steps, terminal};
use cotty_vt::{Size, Vt};
use libfuzzer_sys::fuzz_target;

/// `cotty-vt` and the version.
const HEADER: usize = 9;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    match kind % 4 {
        0 => forged(data),
        1 => broken(data),
        _ => reloaded(data),
    }
});

fn reloaded(data: &[u8]) {
    let Some((mut vt, rest)) = terminal(data) else { return };
    let mut other = vt.clone();
    for step in steps(rest) {
        match step {
            // Reload after every byte of a short piece, otherwise after the whole piece.
            Step::Feed(output) if output.len() <= 12 => {
                for byte in output {
                    vt.feed(&[*byte]);
                    other.feed(&[*byte]);
                    other = reload(&mut vt, &mut other);
                }
            }
            step => {
                step.apply(&mut vt);
                step.apply(&mut other);
                other = reload(&mut vt, &mut other);
            }
        }
    }
}

/// Checks that the copy equals the original, and replaces the copy by a restored terminal.
fn reload(vt: &mut Vt, other: &mut Vt) -> Vt {
    assert_eq!(vt.take_effects(), other.take_effects());
    let state = vt.state();
    assert!(state == other.state(), "the states differ");
    let again = Vt::restore(&state).expect("restore refused a valid state");
    assert!(state == again.state(), "the state changes when it is restored");
    assert_eq!(again.screen_text(), vt.screen_text());
    again
}

/// A valid state with some bytes changed.
fn broken(data: &[u8]) {
    let Some((changes, rest)) = data.split_at_checked(12) else { return };
    let Some((mut vt, rest)) = terminal(rest) else { return };
    steps(rest).for_each(|step| step.apply(&mut vt));
    let mut state = vt.state();
    for change in changes.chunks_exact(3).filter(|change| change[2] != 0) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % state.len();
        state[at] ^= change[2];
    }
    use_state(&state, rest);
}

/// Arbitrary bytes after a valid header.
fn forged(data: &[u8]) {
    let mut state = Vt::new(Size { cols: 2, rows: 1 }).state();
    state.truncate(HEADER);
    state.extend_from_slice(data);
    use_state(&state, b"text\x1b[2J\x1b[?1049h\r\n\n\n\x1bc");
}

fn use_state(state: &[u8], output: &[u8]) {
    let Ok(mut vt) = Vt::restore(state) else { return };
    assert_sound(&vt);
    vt.text_from(vt.position());
    vt.lines_since(0);
    vt.history_ansi().for_each(drop);
    // A forged state may show anything, but it must not cause a panic.
    for step in steps(output).chain([Step::Resize(Size { cols: 5, rows: 3 }), Step::Feed(b"text\r\n")]) {
        step.apply(&mut vt);
    }
    vt.lines_since(0);
}
