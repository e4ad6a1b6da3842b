//! A saved terminal goes on as if nothing had happened; what is no saved terminal is refused.
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
            // After every byte of a short piece, else after the whole.
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

/// What comes after a reload of the copy, which until then has done the same as the original.
fn reload(vt: &mut Vt, other: &mut Vt) -> Vt {
    assert_eq!(vt.take_effects(), other.take_effects());
    let state = vt.state();
    assert!(state == other.state(), "the states differ");
    let again = Vt::restore(&state).expect("its own state was refused");
    assert!(state == again.state(), "the state changes when it is loaded");
    assert_eq!(again.screen_text(), vt.screen_text());
    again
}

/// A true state with some of its bytes changed.
fn broken(data: &[u8]) {
    let Some((changes, rest)) = data.split_at_checked(12) else { return };
    let Some((mut vt, rest)) = terminal(rest) else { return };
    steps(rest).for_each(|step| step.apply(&mut vt));
    let mut state = vt.state();
    for change in changes.chunks_exact(3).filter(|change| change[2] != 0) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % state.len();
        state[at] ^= change[2];
    }
    use_it(&state, rest);
}

/// Bytes that never were a state.
fn forged(data: &[u8]) {
    let mut state = Vt::new(Size { cols: 2, rows: 1 }).state();
    state.truncate(HEADER);
    state.extend_from_slice(data);
    use_it(&state, b"text\x1b[2J\x1b[?1049h\r\n\n\n\x1bc");
}

fn use_it(state: &[u8], output: &[u8]) {
    let Ok(mut vt) = Vt::restore(state) else { return };
    assert_sound(&vt);
    vt.text_from(vt.position());
    vt.lines_since(0);
    vt.history_ansi().for_each(drop);
    // Where a forged state leads is its own affair, as long as it leads nowhere else.
    for step in steps(output).chain([Step::Resize(Size { cols: 5, rows: 3 }), Step::Feed(b"text\r\n")]) {
        step.apply(&mut vt);
    }
    vt.lines_since(0);
}
