//! The byte that the build script writes for each character and that the engine reads. Both include this file.
//!
//! Bits 0–1 are the columns, 2–5 the class, 6 [`TEXT_EMOJI`], 7 [`CONTROL`]. The class says how a character takes
//! part in grapheme clusters (UAX #29). [`FIRST_JOINING`] and [`FIRST_ALWAYS`] depend on the order of the classes.

/// Letters, ideographs, signs: a cluster begins here. Prepended characters (GB9b), too.
#[allow(dead_code, reason = "the engine only checks for the other classes")]
pub(crate) const OTHER: u8 = 0;
/// Breaks on both sides: controls, line and paragraph separators, format characters such as U+200B.
pub(crate) const BREAK: u8 = 1;
/// A letter that the next consonant joins (GB9c), although the letter itself joins nothing: U+1CF5.
pub(crate) const STACKER: u8 = 2;
/// A consonant, which joins the cluster before it after a linker (GB9c).
pub(crate) const CONSONANT: u8 = 3;
/// A pictograph, which joins another pictograph before it after a ZWJ (GB11).
pub(crate) const PICTOGRAPH: u8 = 4;
/// Half a flag (GB12, GB13).
pub(crate) const REGIONAL: u8 = 5;
/// Hangul (GB6–GB8): leading consonants.
pub(crate) const HANGUL_L: u8 = 6;
/// Hangul vowels, and the Kirat Rai vowels that compose in the same way.
pub(crate) const HANGUL_V: u8 = 7;
/// Hangul trailing consonants.
pub(crate) const HANGUL_T: u8 = 8;
/// Hangul syllables that a trailing consonant can still complete.
pub(crate) const HANGUL_LV: u8 = 9;
/// Hangul syllables that have their trailing consonant.
pub(crate) const HANGUL_LVT: u8 = 10;
/// Thai AM, and Indic vowel signs that take up space (GB9a).
pub(crate) const SPACING: u8 = 11;
/// Joins anything (GB9), but separates a linker from its consonant: U+200C.
pub(crate) const EXTEND: u8 = 12;
/// Joins anything (GB9) and does not separate a linker from its consonant.
pub(crate) const MARK: u8 = 13;
/// A virama that makes conjuncts (GB9c); joins anything.
pub(crate) const LINKER: u8 = 14;
/// U+200D.
pub(crate) const ZWJ: u8 = 15;

/// The first class that can join the character before it.
pub(crate) const FIRST_JOINING: u8 = CONSONANT;
/// The first class that joins any character before it except a control (GB9, GB9a).
pub(crate) const FIRST_ALWAYS: u8 = SPACING;

/// The bits with the columns.
pub(crate) const WIDTH_MASK: u8 = 0b11;
/// The lowest bit of the class.
pub(crate) const CLASS_SHIFT: u8 = 2;
/// The bits of the class, after the shift.
pub(crate) const CLASS_MASK: u8 = 0b1111;
/// An emoji that is shown as text unless U+FE0F follows.
pub(crate) const TEXT_EMOJI: u8 = 1 << 6;
/// C0, DEL and C1.
pub(crate) const CONTROL: u8 = 1 << 7;

/// Characters per block of the two-stage table, as a power of two.
pub(crate) const BLOCK_BITS: u32 = 7;
