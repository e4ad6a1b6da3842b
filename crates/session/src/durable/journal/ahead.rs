//! What stands in the ring ahead of the output, so that bytes which the kernel wrote there can be told.
//!
//! Nothing counts what a `read` wrote if the daemon is killed before it can; only the bytes themselves tell. So the
//! space ahead holds bytes that no UTF-8 text has: text is found to its last byte. They differ from place to place,
//! because output that is no text likes to end in many equal bytes: of a run of such a byte the last `k` are taken for
//! unwritten with a probability of 13⁻ᵏ, of random bytes with 256⁻ᵏ. One fill for all
//! would lose a run of 0xFF whole.

use super::live::READ;

/// Never part of UTF-8.
pub(super) const NEVER_TEXT: [u8; 13] =
    [0xC0, 0xC1, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF];

/// From place to place another one. Adopted journals hold it, so it stays as it is.
pub(super) static VARIED: Ahead = Ahead(varied());

/// What belongs where: by the place in the output, again and again.
#[derive(Debug)]
pub(super) struct Ahead([u8; READ]);

impl Ahead {
    /// Fills the space that begins at a place.
    pub(super) fn fill(&self, mut place: u64, mut space: &mut [u8]) {
        while !space.is_empty() {
            let part = self.from(place);
            let count = part.len().min(space.len());
            space[..count].copy_from_slice(&part[..count]);
            space = &mut space[count..];
            place += count as u64;
        }
    }

    /// How many bytes of the space that begins at a place were written since it was filled.
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
        // Marsaglia's xorshift; its upper bits are the better ones.
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
    fn what_stands_ahead_never_changes() {
        // Of the whole table: a daemon of another version has to know it.
        let hash = cotty_vt::hash(&VARIED.0);
        assert_eq!(format!("{hash:x}"), "56444a88bbeb6c1a");
    }
}
