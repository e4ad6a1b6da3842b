//! Paints keep a viewer in step with the terminal.

use cotty_vt::Painter;
use proptest::prelude::*;

use crate::config;
use crate::input::{input, new, size};
use crate::viewer::{assert_only_paint, assert_shows};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_full_paint_reproduces_the_screen(size in size(), input in input()) {
        let mut vt = new(size);
        vt.feed(&input);
        let paint = Painter::new().full(&vt);
        assert_only_paint(&paint);
        let mut viewer = new(vt.size());
        viewer.feed(paint.as_bytes());
        assert_shows(&viewer, &vt);
    }

    #[test]
    fn diffs_keep_the_viewer_up_to_date(size in size(), parts in prop::collection::vec((input(), prop::option::of(size())), 1..6)) {
        let mut vt = new(size);
        let mut viewer = new(size);
        let mut painter = Painter::new();
        viewer.feed(painter.full(&vt).as_bytes());
        for (part, other) in parts {
            vt.feed(&part);
            // A size that is never painted.
            if let Some(other) = other {
                let now = vt.size();
                vt.resize(other);
                vt.resize(now);
            }
            if viewer.size() != vt.size() {
                viewer = new(vt.size());
            }
            if let Some(paint) = painter.diff(&vt) {
                assert_only_paint(&paint);
                viewer.feed(paint.as_bytes());
            }
            assert_shows(&viewer, &vt);
            prop_assert_eq!(painter.diff(&vt), None);
        }
    }
}
