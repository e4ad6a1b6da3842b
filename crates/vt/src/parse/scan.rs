/// How many bytes one step examines: compilers vectorize a loop of this length.
const STEP: usize = 32;

/// How many bytes at the front are printable ASCII.
#[inline]
pub(crate) fn printable(bytes: &[u8]) -> usize {
    // Most runs are words: eight bytes at a time is faster than vector code.
    let mut at = 0;
    while at < STEP {
        let Some(word) = bytes.get(at..at + 8).and_then(|word| <[u8; 8]>::try_from(word).ok()) else {
            return at + short(bytes.get(at..).unwrap_or_default());
        };
        let stop = unprintable(u64::from_le_bytes(word));
        if stop != 0 {
            return at + stop.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + long(bytes.get(at..).unwrap_or_default())
}

/// Has the high bit of the first unprintable byte set; the bits of later bytes are unspecified.
fn unprintable(word: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let below_space = word.wrapping_sub(LOW * 0x20) & !word;
    let from_delete = word.wrapping_add(LOW) | word;
    (below_space | from_delete) & (LOW * 0x80)
}

fn is_printable(byte: u8) -> bool {
    byte.wrapping_sub(0x20) < 0x5f
}

fn short(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !is_printable(*byte)).unwrap_or(bytes.len())
}

fn long(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(STEP) {
        if !chunk.iter().fold(true, |all, byte| all & is_printable(*byte)) {
            break;
        }
        at += STEP;
    }
    for word in bytes.get(at..).unwrap_or_default().chunks_exact(8) {
        let stop = unprintable(<[u8; 8]>::try_from(word).map_or(0, u64::from_le_bytes));
        if stop != 0 {
            return at + stop.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + short(bytes.get(at..).unwrap_or_default())
}

/// How many bytes at the front of a string's payload are not controls.
pub(crate) fn payload(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(STEP) {
        if !chunk.iter().fold(true, |all, byte| all & (*byte >= 0x20)) {
            break;
        }
        at += STEP;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| *byte < 0x20).unwrap_or(rest.len())
}

/// The character at the front and its length, if it is complete, valid and not ASCII (Unicode, table
/// 3-7).
#[inline(always)]
pub(crate) fn character(bytes: &[u8]) -> Option<(char, usize)> {
    // Most characters have three bytes: check all three at once.
    if let [a, b, c, ..] = *bytes {
        let word = u32::from_le_bytes([a, b, c, 0]);
        if word & 0x00c0_c0f0 == 0x0080_80e0 {
            let code = (word & 0xf) << 12 | (word >> 8 & 0x3f) << 6 | word >> 16 & 0x3f;
            // Overlong forms and surrogates are not characters.
            return if code < 0x800 { None } else { char::from_u32(code).map(|c| (c, 3)) };
        }
    }
    other_character(bytes)
}

#[inline]
fn other_character(bytes: &[u8]) -> Option<(char, usize)> {
    let tail = |byte: u8| u32::from(byte & 0x3f);
    let is_tail = |byte: u8| byte & 0xc0 == 0x80;
    let (code, len) = match *bytes {
        [a @ 0xc2..=0xdf, b, ..] if is_tail(b) => (u32::from(a & 0x1f) << 6 | tail(b), 2),
        [a @ 0xf0..=0xf4, b, c, d, ..] if is_tail(b) && is_tail(c) && is_tail(d) => {
            let code = u32::from(a & 7) << 18 | tail(b) << 12 | tail(c) << 6 | tail(d);
            (if code < 0x10000 { return None } else { code }, 4)
        }
        _ => return None,
    };
    // Refuses values above the last code point.
    char::from_u32(code).map(|c| (c, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_the_first_other_byte() {
        for len in 0..150 {
            for end in [0x1b, 0x7f, 0x80, 0xff, 0, b'\n'] {
                let mut bytes = alloc::vec![b'x'; len];
                assert_eq!(printable(&bytes), len);
                bytes.extend([end, b'y', b'z']);
                assert_eq!(printable(&bytes), len, "{end}");
                assert_eq!(payload(&bytes), if end < 0x20 { len } else { len + 3 });
            }
        }
    }

    #[test]
    fn decoding_agrees_with_the_standard_library() {
        for c in (0x80..=0x10ffff).filter_map(char::from_u32) {
            let mut bytes = [0; 4];
            let text = c.encode_utf8(&mut bytes);
            assert_eq!(character(text.as_bytes()), Some((c, text.len())));
        }
        for broken in
            [&b"\xc0\x80"[..], b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x8f\xbf\xbf"]
        {
            assert_eq!(character(broken), None);
        }
        for half in [&b"\xc3"[..], b"\xe2\x82", b"\xf0\x9f\x98", b"x", b"\x80", b"\xff"] {
            assert_eq!(character(half), None);
        }
    }
}
