//! Splitting the output, saving and restoring, invariants, snapshots.

use cotty_vt::{Size, Vt};
use proptest::prelude::*;

use crate::config;
use crate::input::{input, new, size};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn splitting_the_output_changes_nothing(size in size(), input in input(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut whole = new(size);
        whole.feed(&input);
        let mut parts = new(size);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        cuts.windows(2).for_each(|cut| parts.feed(&input[cut[0]..cut[1]]));
        prop_assert_eq!(whole.state(), parts.state());
        prop_assert_eq!(whole.take_effects(), parts.take_effects());
        let mut single = new(size);
        input.iter().for_each(|byte| single.feed(&[*byte]));
        prop_assert_eq!(whole.state(), single.state());
        prop_assert_eq!(whole.seq(), input.len() as u64);
    }

    #[test]
    fn a_restored_terminal_behaves_like_the_original(size in size(), input in input(), cut in any::<prop::sample::Index>()) {
        let (before, after) = input.split_at(cut.index(input.len() + 1));
        let mut vt = new(size);
        vt.feed(before);
        vt.take_effects();
        let mut restored = Vt::restore(&vt.state()).unwrap();
        prop_assert_eq!(restored.state(), vt.state());
        vt.feed(after);
        restored.feed(after);
        prop_assert_eq!(restored.state(), vt.state());
        prop_assert_eq!(restored.screen_text(), vt.screen_text());
        prop_assert_eq!(restored.take_effects(), vt.take_effects());
    }

    #[test]
    fn invariants_hold(start in size(), steps in prop::collection::vec((input(), size()), 1..5)) {
        let mut vt = new(start);
        for (input, size) in steps {
            vt.feed(&input);
            prop_assert_eq!(vt.verify(), Ok(()));
            vt.resize(size);
            prop_assert_eq!(vt.verify(), Ok(()));
            for row in 0..size.rows {
                prop_assert_eq!(vt.row_cells(row).count(), usize::from(size.cols));
                vt.row_ansi(row);
            }
            let position = vt.position();
            vt.text_from(position);
            vt.lines_since(0);
            prop_assert!(vt.history_ansi().count() <= 20);
        }
    }

    #[test]
    fn a_broken_state_is_refused_or_sound(size in size(), input in input(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let mut vt = new(size);
        vt.feed(&input);
        let mut state = vt.state();
        let at = at.index(state.len());
        if cut {
            state.truncate(at);
        } else {
            state[at] = byte;
        }
        if let Ok(mut other) = Vt::restore(&state) {
            other.feed(&input);
            other.resize(Size { cols: 5, rows: 3 });
            other.feed(&input);
            other.lines_since(0);
            other.text_from(other.position());
        }
    }

    #[test]
    fn a_snapshot_and_its_original_are_independent(size in size(), before in input(), after in input(), later in size()) {
        let mut vt = new(size);
        vt.feed(&before);
        let snapshot = vt.clone();
        let state = snapshot.state();
        vt.feed(&after);
        vt.resize(later);
        vt.settle();
        prop_assert_eq!(snapshot.state(), state);
        // Changes to the snapshot do not affect the original.
        let state = vt.state();
        let mut snapshot = snapshot;
        snapshot.feed(&after);
        snapshot.resize(later);
        prop_assert_eq!(vt.state(), state);
    }
}
