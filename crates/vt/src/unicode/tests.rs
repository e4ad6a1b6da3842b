//! Clusters and columns: hand-written cases, then a comparison with another implementation of UAX #29.

use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::{class, cluster_width, clusters, joins, props};

/// The clusters of a text and their columns.
fn cut(text: &str) -> Vec<(&str, u8)> {
    clusters(text).collect()
}

#[test]
fn columns_of_single_characters() {
    for (c, width) in [
        (' ', 1),
        ('~', 1),
        ('é', 1),
        ('漢', 2),
        ('Ａ', 2),
        ('ｱ', 1),
        ('±', 1),         // ambiguous
        ('\u{ad}', 1),    // soft hyphen
        ('\u{301}', 0),   // Mn
        ('\u{20dd}', 0),  // Me
        ('\u{93e}', 0),   // Mc
        ('\u{302e}', 0),  // Mc, though East Asian wide
        ('\u{200b}', 0),  // ZWSP
        ('\u{200d}', 0),  // ZWJ
        ('\u{2028}', 0),  // line separator
        ('\u{feff}', 0),  // default ignorable
        ('\u{e0061}', 0), // tag
        ('\u{600}', 1),   // a format character with a glyph
        ('\u{1100}', 2),  // Hangul L
        ('\u{115f}', 2),  // its filler
        ('\u{1161}', 0),  // V
        ('\u{11a8}', 0),  // T
        ('가', 2),
        ('\u{16d63}', 1), // breaks as Hangul V, is a letter of its own
        ('\u{1f1e6}', 1), // half a flag
        ('👍', 2),
        ('🏽', 2),
        ('❤', 1),
        ('\u{e000}', 1),   // private use
        ('\u{10fffd}', 1), // private use
        ('\u{2fffd}', 2),  // unassigned in a wide plane
        ('\u{3ffff}', 1),  // noncharacter
        ('\u{50000}', 1),  // unassigned
        ('\0', 0),
        ('\u{85}', 0),
    ] {
        assert_eq!(props(c).width(), width, "U+{:04X}", c as u32);
    }
}

#[test]
fn controls_are_c0_del_and_c1() {
    for c in '\0'..=char::MAX {
        assert_eq!(props(c).is_control(), c.is_control(), "U+{:04X}", c as u32);
    }
}

#[test]
fn whole_clusters_and_their_columns() {
    for (text, width) in [
        ("e\u{301}", 1),
        ("a\u{300}\u{301}\u{302}\u{303}\u{304}\u{20dd}", 1), // a stack
        ("漢\u{fe00}", 2),
        ("👨‍👩‍👧‍👦", 2),
        ("👁\u{fe0f}‍🗨\u{fe0f}", 2),
        ("❤\u{fe0f}‍🔥", 2),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", 2),
        ("🇨🇭", 2),
        ("👍🏽", 2),
        ("☝🏽", 2),
        ("👩🏽‍🚀", 2),
        ("❤\u{fe0f}", 2),
        ("❤\u{fe0e}", 1),
        ("⌚\u{fe0e}", 2), // text form: drawn differently, but not narrower
        ("⌚\u{fe0f}", 2),
        ("a\u{fe0f}", 1), // has no emoji form
        ("1\u{fe0f}", 2),
        ("1\u{fe0f}\u{20e3}", 2),
        ("1\u{20e3}", 1),
        ("क्ष", 2),
        ("क्ष्म्य", 2), // four consonants: a cluster never takes more than two columns
        ("क्\u{200d}ष", 2),
        ("कि", 1),
        ("กำ", 2), // AM is drawn beside its consonant
        ("ที่", 1),
        ("\u{1100}\u{1161}\u{11a8}", 2),
        ("\u{1100}\u{1100}\u{1161}", 2),
        ("가\u{11a8}", 2),
        ("\u{1cf5}क", 2),
        ("\u{200d}", 0),
        ("\u{301}\u{302}", 0),
        ("\u{200b}", 0),
    ] {
        assert_eq!(cut(text), [(text, width)], "{text:?}");
    }
}

#[test]
fn clusters_end_before_a_character_that_does_not_join() {
    let cases: [(&str, &[(&str, u8)]); 12] = [
        ("", &[]),
        ("ab", &[("a", 1), ("b", 1)]),
        ("🇨🇭🇨🇭🇨", &[("🇨🇭", 2), ("🇨🇭", 2), ("🇨", 1)]),
        ("a\u{200d}👍", &[("a\u{200d}", 1), ("👍", 2)]), // a ZWJ joins only pictographs
        ("👍\u{200d}a", &[("👍\u{200d}", 2), ("a", 1)]),
        ("क्\u{200c}ष", &[("क्\u{200c}", 1), ("ष", 1)]), // ZWNJ prevents a conjunct
        ("කකි", &[("ක", 1), ("කි", 1)]),
        ("가가", &[("가", 2), ("가", 2)]),
        ("각\u{1161}", &[("각", 2), ("\u{1161}", 0)]),
        ("a\u{200b}\u{301}", &[("a", 1), ("\u{200b}", 0), ("\u{301}", 0)]),
        ("\u{600}1", &[("\u{600}", 1), ("1", 1)]), // GB9b is not applied
        ("\r\n", &[("\r", 0), ("\n", 0)]),         // nor is GB3: controls are not printed
    ];
    for (text, expected) in cases {
        assert_eq!(cut(text), expected, "{text:?}");
    }
}

#[test]
fn nothing_joins_an_empty_cluster() {
    for c in ['a', '\u{301}', '\u{200d}', '🇨', '🏽', '\u{1161}'] {
        assert!(!joins("", c), "{c:?}");
    }
    assert_eq!(cluster_width("".chars()), 0);
}

/// The fast path checks only [`super::Props::may_join`].
#[test]
fn a_character_that_may_not_join_never_joins() {
    for c in '\0'..=char::MAX {
        if !props(c).may_join() {
            for before in ["a", "क्", "👍\u{200d}", "🇨", "\u{1100}", "가", "\u{1cf5}"] {
                assert!(!joins(before, c), "{before:?} U+{:04X}", c as u32);
            }
        }
    }
    assert!(('\u{20}'..='\u{2ff}').all(|c| props(c).may_join() == "©®".contains(c)));
}

/// A character that joins in the other implementation (Unicode 17) also joins here: newer versions add characters and do
/// not change their classes. (An exception: code points once reserved for pictographs.)
#[test]
fn characters_that_join_in_unicode_17_still_join() {
    for before in ["a", "क्", "🇨", "\u{1100}", "가", "각"] {
        for c in '\0'..=char::MAX {
            let text = alloc::format!("{before}{c}");
            let joined = text.graphemes(true).count() == 1;
            assert!(!joined || joins(before, c), "{before:?} U+{:04X}", c as u32);
        }
    }
}

/// Characters of all classes, so that every pair of rules is tested; none is prepended (GB9b) or CR (GB3).
fn text() -> impl Strategy<Value = String> {
    let of_note = "a漢1#©❤⌚👍👩🏽🏴🇨🇭कषतড়\u{94d}\u{9cd}\u{93c}\u{93e}\u{903}\u{301}\u{20e3}\u{200c}\u{200d}\u{fe0f}\
                   \u{e0067}\u{1100}\u{1161}\u{11a8}가각กำ\u{e31}\u{ff9e}\u{16d63}\u{200b}\u{ad}\u{2028}\u{7}";
    prop::collection::vec(prop::sample::select(of_note.chars().collect::<Vec<_>>()), 0..12)
        .prop_map(String::from_iter)
}

/// A consonant after a linker whose base is not a consonant: Unicode 18 joins them, Unicode 17 did not.
fn joins_since_unicode_18(before: &str, c: char) -> bool {
    let linking = |c: &char| matches!(props(*c).class(), class::MARK | class::LINKER | class::ZWJ);
    let base = before.chars().rev().find(|c| !linking(c)).map(|c| props(c).class());
    props(c).class() == class::CONSONANT && base != Some(class::CONSONANT)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn the_clusters_concatenate_to_the_text(text in text()) {
        let back: String = clusters(&text).map(|(cluster, _)| cluster).collect();
        prop_assert_eq!(&back, &text);
        for (cluster, width) in clusters(&text) {
            prop_assert!(!cluster.is_empty() && width <= 2);
        }
    }

    #[test]
    fn clusters_agree_with_uax_29(text in text()) {
        let theirs: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
        let mut at = 0;
        for (cluster, _) in clusters(&text) {
            for (inside, c) in cluster.char_indices() {
                if !joins_since_unicode_18(&text[..at + inside], c) {
                    prop_assert_eq!(inside == 0, theirs.contains(&(at + inside)), "{:?} at {}", text, at + inside);
                }
            }
            at += cluster.len();
        }
    }
}
