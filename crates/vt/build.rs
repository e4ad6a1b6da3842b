//! Writes the character table that `src/unicode` reads.
//!
//! The table is built from the published Unicode properties, so a new Unicode version only needs a new version of one crate.
//! It has two stages: an index with the block number of each run of characters, and the distinct blocks.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::{env, fs};

use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EastAsianWidth, Emoji, EmojiPresentation, EnumeratedProperty,
    ExtendedPictographic, GeneralCategory, GraphemeClusterBreak, HangulSyllableType, IndicConjunctBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};

#[path = "src/unicode/class.rs"]
#[allow(dead_code, reason = "this script uses only part of what the engine uses")]
mod class;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/unicode/class.rs");
    let bytes = all();
    let mut index = Vec::new();
    let mut blocks = Vec::new();
    let mut known = HashMap::new();
    for block in bytes.chunks(1 << class::BLOCK_BITS) {
        let next = known.len();
        let number = *known.entry(block).or_insert_with(|| {
            blocks.extend_from_slice(block);
            next
        });
        index.push(u8::try_from(number).expect("more than 256 different blocks: increase BLOCK_BITS"));
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    for (name, bytes) in [("unicode_index", index), ("unicode_blocks", blocks)] {
        fs::write(Path::new(&out).join(name), bytes).expect("cannot write to OUT_DIR");
    }
}

/// The bytes of all code points. Properties are looked up once per run of equal code points: build scripts are
/// not optimised, and a million lookups would take seconds.
fn all() -> Vec<u8> {
    let end = u32::from(char::MAX) + 1;
    let mut runs = BTreeSet::from([end]);
    values::<EastAsianWidth>(&mut runs);
    values::<GeneralCategory>(&mut runs);
    values::<GraphemeClusterBreak>(&mut runs);
    values::<HangulSyllableType>(&mut runs);
    values::<IndicConjunctBreak>(&mut runs);
    members::<DefaultIgnorableCodePoint>(&mut runs);
    members::<Emoji>(&mut runs);
    members::<EmojiPresentation>(&mut runs);
    members::<ExtendedPictographic>(&mut runs);
    let mut bytes = Vec::new();
    let mut first = 0;
    for next in runs {
        bytes.resize(next as usize, byte(first));
        first = next;
    }
    bytes
}

/// Adds the code points where an enumerated property changes.
fn values<P: EnumeratedProperty>(runs: &mut BTreeSet<u32>) {
    runs.extend(CodePointMapData::<P>::new().iter_ranges().map(|run| *run.range.start()));
}

/// Adds the code points where a binary property begins and ends.
fn members<P: BinaryProperty>(runs: &mut BTreeSet<u32>) {
    runs.extend(CodePointSetData::new::<P>().iter_ranges().flat_map(|run| [*run.start(), run.end() + 1]));
}

/// All that the engine needs to know about one code point.
fn byte(c: u32) -> u8 {
    let text_emoji = CodePointSetData::new::<Emoji>().contains32(c)
        && !CodePointSetData::new::<EmojiPresentation>().contains32(c);
    let control = CodePointMapData::<GeneralCategory>::new().get32(c) == GeneralCategory::Control;
    width(c)
        | class(c) << class::CLASS_SHIFT
        | if text_emoji { class::TEXT_EMOJI } else { 0 }
        | if control { class::CONTROL } else { 0 }
}

/// How many columns a code point takes by itself.
fn width(c: u32) -> u8 {
    use GeneralCategory as Gc;
    let category = CodePointMapData::<Gc>::new().get32(c);
    let vowel_or_trailing = matches!(
        CodePointMapData::<HangulSyllableType>::new().get32(c),
        HangulSyllableType::VowelJamo | HangulSyllableType::TrailingJamo
    );
    let breaks = CodePointMapData::<GraphemeClusterBreak>::new().get32(c) == GraphemeClusterBreak::Control;
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>().contains32(c);
    match category {
        // The soft hyphen is always visible: terminals do not hyphenate.
        _ if c == 0xad => 1,
        Gc::Control | Gc::Surrogate => 0,
        Gc::NonspacingMark | Gc::EnclosingMark | Gc::SpacingMark => 0,
        // Drawn inside the block of the preceding leading consonant.
        _ if vowel_or_trailing => 0,
        // Ignorable letters are the Hangul fillers, which take up space.
        Gc::OtherLetter => east_asian(c),
        _ if breaks || ignorable => 0,
        _ => east_asian(c),
    }
}

/// Columns by East_Asian_Width. Ambiguous characters are narrow, as in all but legacy East Asian locales.
fn east_asian(c: u32) -> u8 {
    match CodePointMapData::<EastAsianWidth>::new().get32(c) {
        EastAsianWidth::Wide | EastAsianWidth::Fullwidth => 2,
        _ => 1,
    }
}

/// The class of a code point, from three properties that the cluster rules combine. If a new Unicode version has a
/// combination without a class, the build fails here instead of segmenting text wrongly.
fn class(c: u32) -> u8 {
    use {GraphemeClusterBreak as Gcb, IndicConjunctBreak as Incb};
    let conjunct = CodePointMapData::<Incb>::new().get32(c);
    let pictograph = CodePointSetData::new::<ExtendedPictographic>().contains32(c);
    match (CodePointMapData::<Gcb>::new().get32(c), conjunct, pictograph) {
        // GB9b is not applied: a prepended character keeps its own cell.
        (Gcb::Other | Gcb::Prepend, Incb::None, false) => class::OTHER,
        (Gcb::Other, Incb::Linker, false) => class::STACKER,
        (Gcb::Other, Incb::Consonant, false) => class::CONSONANT,
        (Gcb::Other, Incb::None, true) => class::PICTOGRAPH,
        (Gcb::Control | Gcb::CR | Gcb::LF, Incb::None, false) => class::BREAK,
        (Gcb::Extend, Incb::None, false) => class::EXTEND,
        (Gcb::Extend, Incb::Extend, false) => class::MARK,
        (Gcb::Extend, Incb::Linker, false) => class::LINKER,
        (Gcb::ZWJ, Incb::Extend, false) => class::ZWJ,
        (Gcb::SpacingMark, Incb::None, false) => class::SPACING,
        (Gcb::RegionalIndicator, Incb::None, false) => class::REGIONAL,
        (Gcb::L, Incb::None, false) => class::HANGUL_L,
        (Gcb::V, Incb::None, false) => class::HANGUL_V,
        (Gcb::T, Incb::None, false) => class::HANGUL_T,
        (Gcb::LV, Incb::None, false) => class::HANGUL_LV,
        (Gcb::LVT, Incb::None, false) => class::HANGUL_LVT,
        other => panic!("U+{c:04X}: no class for {other:?}"),
    }
}
