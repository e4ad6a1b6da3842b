use alloc::vec::Vec;

/// Appends a number, seven bits per byte, lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number from the front and removes it.
pub(crate) fn take(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Appends a signed number (zigzag: values near zero are short).
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, (value << 1 ^ value >> 63) as u64);
}

pub(crate) fn take_signed(from: &mut &[u8]) -> Option<i64> {
    let value = take(from)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        let mut out = Vec::new();
        let unsigned = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, -64, 64, i64::MIN, i64::MAX];
        unsigned.iter().for_each(|value| put(&mut out, *value));
        signed.iter().for_each(|value| put_signed(&mut out, *value));
        let mut rest = out.as_slice();
        unsigned.iter().for_each(|value| assert_eq!(take(&mut rest), Some(*value)));
        signed.iter().for_each(|value| assert_eq!(take_signed(&mut rest), Some(*value)));
        assert_eq!(take(&mut rest), None);
        assert_eq!(take(&mut &[0x80; 12][..]), None);
    }
}
