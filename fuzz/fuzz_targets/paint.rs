//! A viewer that is fed a full paint and then the diffs shows what the terminal shows.
#![no_main]

use cotty_fuzz::{Step, steps, terminal};
use cotty_vt::{Painter, Vt};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/vt/tests/properties/viewer.rs"]
mod viewer;

use viewer::{assert_only_paint, assert_shows};

fuzz_target!(|data: &[u8]| {
    let Some((mut vt, rest)) = terminal(data) else { return };
    let mut painter = Painter::new();
    let mut viewer = Vt::new(vt.size());
    for step in steps(rest) {
        step.apply(&mut vt);
        // Several resizes can happen between two paints.
        if matches!(step, Step::Feed(_)) {
            update(&vt, &mut painter, &mut viewer);
        }
    }
    update(&vt, &mut painter, &mut viewer);
    assert_eq!(painter.diff(&vt), None);
    let mut fresh = Vt::new(vt.size());
    fresh.feed(Painter::new().full(&vt).as_bytes());
    assert_shows(&fresh, &vt);
});

fn update(vt: &Vt, painter: &mut Painter, viewer: &mut Vt) {
    if viewer.size() != vt.size() {
        *viewer = Vt::new(vt.size());
    }
    if let Some(paint) = painter.diff(vt) {
        assert_only_paint(&paint);
        viewer.feed(paint.as_bytes());
    }
    assert_shows(viewer, vt);
}
