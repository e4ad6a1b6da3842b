//! The fill pattern in the ring ahead of the output, which shows how many bytes the kernel wrote there.
//!
//! If the daemon is killed between a `read` and the update of the length, only the bytes themselves show what was read. So
//! the space ahead is filled with bytes that never occur in UTF-8: text is recovered to its last byte. The pattern varies
//! from position to position, because binary output often ends in many equal bytes. The last `k` bytes of such a run are
//! taken for unwritten with a probability of 13⁻ᵏ, those of random bytes with 256⁻ᵏ. A fill with one byte would lose a
//! whole run of 0xFF.

use super::live::READ;

/// Bytes that never occur in UTF-8.
pub(super) const NEVER_TEXT: [u8; 13] =
    [0xC0, 0xC1, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF];

/// The pattern. Adopted journals contain it, so it must never change.
pub(super) static VARIED: Ahead = Ahead(varied());

/// A fill pattern. It repeats; the position in the output selects the byte.
#[derive(Debug)]
pub(super) struct Ahead([u8; READ]);

impl Ahead {
    /// Fills the space that begins at a position.
    pub(super) fn fill(&self, mut place: u64, mut space: &mut [u8]) {
        while !space.is_empty() {
            let part = self.from(place);
            let count = part.len().min(space.len());
            space[..count].copy_from_slice(&part[..count]);
            space = &mut space[count..];
            place += count as u64;
        }
    }

    /// How many bytes of the space that begins at a position were written since it was filled.
    pub(super) fn written(&self, mut place: u64, mut space: &[u8]) -> usize {
        let (mut seen, mut written) = (0, 0);
        while !space.is_empty() {
            let part = self.from(place);
            let count = part.len().min(space.len());
            if let Some(last) = (0..count).rev().find(|&at| space[at] != part[at]) {
                written = seen + last + 1;
            }
            space = &space[count..];
            place += count as u64;
            seen += count;
        }
        written
    }

    fn from(&self, place: u64) -> &[u8] {
        &self.0[usize::try_from(place % READ as u64).unwrap_or(0)..]
    }
}

const fn varied() -> [u8; READ] {
    let mut bytes = [0; READ];
    let (mut random, mut at) = (0x9E37_79B9_7F4A_7C15_u64, 0);
    while at < READ {
        // Marsaglia's xorshift; its upper bits are more random.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bytes[at] = NEVER_TEXT[((random >> 32) % 13) as usize];
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fill_pattern_never_changes() {
        // A daemon of another version must have the same pattern.
        let hash = cotty_vt::hash(&VARIED.0);
        assert_eq!(format!("{hash:x}"), "56444a88bbeb6c1a");
    }
}
