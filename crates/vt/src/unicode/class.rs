//! The byte that the build script writes for each character and the engine reads: both include this file.
//!
//! Bits 0–1 are the columns, 2–5 the class, 6 [`TEXT_EMOJI`], 7 [`CONTROL`]. The class says how a character takes
//! part in grapheme clusters (UAX #29); their order serves [`FIRST_JOINING`] and [`FIRST_ALWAYS`].

/// Letters, ideographs, signs: a cluster begins here. Prepended characters (GB9b), too.
#[allow(dead_code, reason = "the engine only asks for the others")]
pub(crate) const OTHER: u8 = 0;
/// Breaks on both sides: controls, line and paragraph separators, format characters such as U+200B.
pub(crate) const BREAK: u8 = 1;
/// A letter that ties the consonant after it to itself (GB9c), though it joins nothing itself: U+1CF5.
pub(crate) const STACKER: u8 = 2;
/// A consonant that a linker ties to what stands before (GB9c).
pub(crate) const CONSONANT: u8 = 3;
/// What a ZWJ ties to the pictograph before (GB11).
pub(crate) const PICTOGRAPH: u8 = 4;
/// Half a flag (GB12, GB13).
pub(crate) const REGIONAL: u8 = 5;
/// Hangul (GB6–GB8): leading consonants.
pub(crate) const HANGUL_L: u8 = 6;
/// Hangul vowels, and the Kirat Rai vowels that compose as they do.
pub(crate) const HANGUL_V: u8 = 7;
/// Hangul trailing consonants.
pub(crate) const HANGUL_T: u8 = 8;
/// Hangul syllables that a trailing consonant can still complete.
pub(crate) const HANGUL_LV: u8 = 9;
/// Hangul syllables that have their trailing consonant.
pub(crate) const HANGUL_LVT: u8 = 10;
/// Thai AM, Indic vowel signs that take room of their own (GB9a).
pub(crate) const SPACING: u8 = 11;
/// Joins anything (GB9), yet between a linker and its consonant it stands in the way: U+200C.
pub(crate) const EXTEND: u8 = 12;
/// Joins anything (GB9) and does not part a linker from its consonant.
pub(crate) const MARK: u8 = 13;
/// A virama that makes conjuncts (GB9c); joins anything.
pub(crate) const LINKER: u8 = 14;
/// U+200D.
pub(crate) const ZWJ: u8 = 15;

/// The first class that can join what stands before it.
pub(crate) const FIRST_JOINING: u8 = CONSONANT;
/// The first class that joins whatever stands before it, a control excepted (GB9, GB9a).
pub(crate) const FIRST_ALWAYS: u8 = SPACING;

/// Columns.
pub(crate) const WIDTH_MASK: u8 = 0b11;
/// Where the class begins.
pub(crate) const CLASS_SHIFT: u8 = 2;
/// The class, once shifted.
pub(crate) const CLASS_MASK: u8 = 0b1111;
/// An emoji shown as text unless U+FE0F follows.
pub(crate) const TEXT_EMOJI: u8 = 1 << 6;
/// C0, DEL and C1.
pub(crate) const CONTROL: u8 = 1 << 7;

/// Characters per block of the two-stage table, as a power of two.
pub(crate) const BLOCK_BITS: u32 = 7;
