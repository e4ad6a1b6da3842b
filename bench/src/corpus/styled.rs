use super::text::WORDS;
use super::{Random, put};

/// A line as programs with colours write it: the style changes at every word.
pub(super) fn line(out: &mut Vec<u8>, random: &mut Random) {
    match random.within(0, 4) {
        0 => listing(out, random),
        1 => build(out, random),
        2 => difference(out, random),
        _ => palette(out, random),
    }
    out.extend_from_slice(b"\r\n");
}

/// `ls --color`: bold 16 colours, the short reset.
fn listing(out: &mut Vec<u8>, random: &mut Random) {
    const KINDS: &[&str] = &["01;34", "01;32", "01;36", "01;31", "00;36", "30;42", "40;33;01"];
    for _ in 0..random.within(4, 8) {
        let (kind, name) = (random.pick(KINDS), random.pick(WORDS));
        put!(out, "\x1b[0m\x1b[{kind}m{name}-{}\x1b[0m  ", random.within(1, 99));
    }
}

/// `cargo`: one attribute per sequence, bold and green separate.
fn build(out: &mut Vec<u8>, random: &mut Random) {
    const VERBS: &[&str] = &["   Compiling", "    Checking", "  Downloaded", "     Running", "    Finished"];
    put!(out, "\x1b[1m\x1b[32m{}\x1b[0m", random.pick(VERBS));
    for _ in 0..random.within(2, 5) {
        put!(
            out,
            " \x1b[1m{}\x1b[0m \x1b[2mv{}.{}.{}\x1b[22m",
            random.pick(WORDS),
            1,
            random.within(0, 40),
            7
        );
    }
    if random.one_in(3) {
        put!(out, " \x1b[1m\x1b[33mwarning\x1b[0m\x1b[1m: {}\x1b[0m", random.pick(WORDS));
    }
}

/// `git diff --word-diff=color`: 16 colours, the empty reset.
fn difference(out: &mut Vec<u8>, random: &mut Random) {
    if random.one_in(6) {
        put!(out, "\x1b[36m@@ -{0},7 +{0},9 @@\x1b[m", random.within(1, 900));
    }
    for _ in 0..random.within(4, 10) {
        let word = random.pick(WORDS);
        match random.within(0, 3) {
            0 => put!(out, "\x1b[31m[-{word}-]\x1b[m "),
            1 => put!(out, "\x1b[32m{{+{word}+}}\x1b[m "),
            _ => put!(out, "\x1b[33m{word}\x1b[m "),
        }
    }
}

/// A prompt or a highlighter: 256 colours, bright ones, backgrounds, underlines.
fn palette(out: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.within(4, 9) {
        let word = random.pick(WORDS);
        match random.within(0, 4) {
            0 => put!(out, "\x1b[38;5;{}m{word} ", random.within(16, 256)),
            1 => put!(
                out,
                "\x1b[1;38;5;{};48;5;{}m{word}\x1b[0m ",
                random.within(0, 256),
                random.within(232, 256)
            ),
            2 => put!(out, "\x1b[4;{}m{word}\x1b[24;39m ", random.within(90, 98)),
            _ => put!(out, "\x1b[3;38;5;{}m{word}\x1b[23m ", random.within(16, 256)),
        }
    }
    out.extend_from_slice(b"\x1b[0m");
}
