use super::text::words;
use super::{Random, put};
use crate::engine::Size;

/// A frame of a moving gradient, with a position and colours for each cell.
pub(super) fn dense(out: &mut Vec<u8>, random: &mut Random, size: Size) {
    let phase = random.within(0, 256);
    for row in 0..u64::from(size.rows) {
        for col in 0..u64::from(size.cols) {
            let (red, green, blue) = ((col * 3 + phase) & 255, (row * 9 + phase) & 255, (col + row) & 255);
            let sign = char::from(b'!' + (random.next() % 94) as u8);
            put!(out, "\x1b[{};{}H\x1b[38;2;{red};{green};{blue}m", row + 1, col + 1);
            put!(out, "\x1b[48;2;{blue};{red};{green}m{sign}");
        }
    }
}

/// A scroll region, used as editors, pagers and multiplexers do, and then the whole screen again.
pub(super) fn regions(out: &mut Vec<u8>, random: &mut Random, size: Size) {
    let rows = u64::from(size.rows);
    let top = random.within(1, rows / 2);
    let bottom = random.within(top + 2, rows + 1);
    put!(out, "\x1b[{top};{bottom}r\x1b[{bottom};1H");
    for _ in 0..random.within(10, 40) {
        words(out, random, 3, 11);
        out.extend_from_slice(if random.one_in(4) { b"\r\x1bD" } else { b"\r\n" });
    }
    put!(out, "\x1b[{top};1H");
    for _ in 0..random.within(4, 16) {
        out.extend_from_slice(b"\x1bM\r");
        words(out, random, 3, 11);
    }
    for _ in 0..random.within(4, 12) {
        put!(out, "\x1b[{};1H", random.within(top, bottom + 1));
        let count = random.within(1, 4);
        match random.within(0, 4) {
            0 => put!(out, "\x1b[{count}L"),
            1 => put!(out, "\x1b[{count}M"),
            2 => put!(out, "\x1b[{count}S"),
            _ => put!(out, "\x1b[{count}T"),
        }
        words(out, random, 3, 11);
    }
    put!(out, "\x1b[r\x1b[{rows};1H");
    for _ in 0..random.within(2, 8) {
        words(out, random, 3, 11);
        out.extend_from_slice(b"\r\n");
    }
}
