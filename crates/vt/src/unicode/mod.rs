//! Character properties: how many columns a character takes, and whether it joins the previous character.
//!
//! Clusters are the extended grapheme clusters of UAX #29, except that a prepended character (GB9b) keeps its own cell:
//! when a terminal prints it, the next character is not known yet. `build.rs` generates the table.

mod class;
#[cfg(test)]
mod tests;

use class::{FIRST_ALWAYS, FIRST_JOINING};

/// The block number of each run of characters.
static INDEX: [u8; (char::MAX as usize + 1) >> class::BLOCK_BITS] =
    *include_bytes!(concat!(env!("OUT_DIR"), "/unicode_index"));
/// The blocks, one byte per character.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/unicode_blocks"));

/// U+FE0F asks for the emoji form of the character before it.
pub(crate) const EMOJI_FORM: char = '\u{fe0f}';

/// The properties of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Props(u8);

/// Looks up a character with two loads.
#[inline]
pub(crate) fn props(c: char) -> Props {
    let c = c as usize;
    let block = usize::from(INDEX[c >> class::BLOCK_BITS]) << class::BLOCK_BITS;
    Props(BLOCKS[block | c & ((1 << class::BLOCK_BITS) - 1)])
}

impl Props {
    /// Columns: 0, 1 or 2.
    #[inline]
    pub(crate) fn width(self) -> u8 {
        self.0 & class::WIDTH_MASK
    }

    /// Whether it is a control character (C0, DEL, C1), which is not printed.
    #[inline]
    pub(crate) fn is_control(self) -> bool {
        self.0 & class::CONTROL != 0
    }

    /// Whether it always gets its own cell, whatever is before it.
    #[inline]
    pub(crate) fn is_simple(self) -> bool {
        // The lowest class, not a control, and with a width.
        self.0 & !(class::WIDTH_MASK | class::TEXT_EMOJI) == 0 && self.width() > 0
    }

    /// Whether it can join a cluster before it; [`joins`] decides whether it does.
    #[inline]
    pub(crate) fn may_join(self) -> bool {
        self.class() >= FIRST_JOINING
    }

    /// Whether it joins any character before it, including ASCII, except a break (GB9, GB9a).
    #[inline]
    pub(crate) fn joins_anything(self) -> bool {
        self.class() >= FIRST_ALWAYS
    }

    fn class(self) -> u8 {
        self.0 >> class::CLASS_SHIFT & class::CLASS_MASK
    }

    /// Whether it is shown as text, in one column, unless U+FE0F follows.
    fn is_text_emoji(self) -> bool {
        self.0 & class::TEXT_EMOJI != 0
    }
}

/// Whether two neighbouring characters form one cluster, judged from the two alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    Never,
    Always,
    /// The characters before the first one decide.
    Depends,
}

/// Whether the second character joins the first, judged from the two alone.
#[inline]
pub(crate) fn joint(last: Props, next: Props) -> Joint {
    JOINTS[usize::from(last.class() << 4 | next.class())]
}

/// [`joint`] for every pair of classes: one load instead of a chain of branches.
static JOINTS: [Joint; 256] = {
    let mut joints = [Joint::Never; 256];
    let mut at = 0;
    while at < joints.len() {
        joints[at] = joint_of((at >> 4) as u8, (at & 15) as u8);
        at += 1;
    }
    joints
};

const fn joint_of(last: u8, next: u8) -> Joint {
    match (last, next) {
        (_, ..FIRST_JOINING) | (class::BREAK, _) => Joint::Never,
        (_, FIRST_ALWAYS..)
        | (class::HANGUL_L, class::HANGUL_L | class::HANGUL_V | class::HANGUL_LV | class::HANGUL_LVT)
        | (class::HANGUL_V | class::HANGUL_LV, class::HANGUL_V | class::HANGUL_T)
        | (class::HANGUL_T | class::HANGUL_LVT, class::HANGUL_T)
        // As in Unicode 18: the character before the linker does not matter.
        | (class::LINKER | class::STACKER, class::CONSONANT) => Joint::Always,
        (class::REGIONAL, class::REGIONAL)
        | (class::ZWJ, class::PICTOGRAPH)
        | (class::MARK | class::ZWJ, class::CONSONANT) => Joint::Depends,
        _ => Joint::Never,
    }
}

/// Whether `c` belongs to the cluster in the cell before it (a cluster or a part of one). Nothing joins an empty text.
pub(crate) fn joins(cluster: &str, c: char) -> bool {
    let mut before = cluster.chars().rev().map(props);
    let Some(last) = before.next() else { return false };
    match joint(last, props(c)) {
        Joint::Never => false,
        Joint::Always => true,
        Joint::Depends => {
            let mut before = before.map(Props::class);
            match props(c).class() {
                class::REGIONAL => before.take_while(|&b| b == class::REGIONAL).count() % 2 == 0,
                class::PICTOGRAPH => {
                    before.find(|&b| !matches!(b, class::EXTEND | class::MARK | class::LINKER))
                        == Some(class::PICTOGRAPH)
                }
                _ => {
                    let tie = before.find(|&b| !matches!(b, class::MARK | class::ZWJ));
                    matches!(tie, Some(class::LINKER | class::STACKER))
                }
            }
        }
    }
}

/// Columns of a cluster: the sum of its characters' columns, at most 2. U+FE0F directly after an emoji that is text by
/// default (`❤`, `#`, digits) makes it 2; a cluster of only zero-width characters has 0.
pub(crate) fn cluster_width(cluster: impl IntoIterator<Item = char>) -> u8 {
    let mut width = 0;
    let mut text_emoji = false;
    for c in cluster {
        let props = props(c);
        width += if text_emoji && c == EMOJI_FORM { 2 } else { props.width() };
        if width >= 2 {
            return 2;
        }
        text_emoji = props.is_text_emoji();
    }
    width
}

/// Segments text into clusters with their widths, by the same rules.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = (&str, u8)> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(at, c)| !joins(&rest[..at], c))
            .map_or(rest.len(), |(at, _)| at);
        let (cluster, after) = rest.split_at(end);
        rest = after;
        (!cluster.is_empty()).then(|| (cluster, cluster_width(cluster.chars())))
    })
}
