use super::text::WORDS;
use super::{Random, put};

const CJK: &[&str] = &[
    "端末",
    "接続が切れました",
    "文字幅",
    "処理を開始します",
    "日本語",
    "テスト",
    "ファイル",
    "连接已关闭",
    "请求超时",
    "数据库",
    "缓存未命中",
    "成功",
    "터미널",
    "연결이 끊어졌습니다",
    "완료",
    "시작",
];

/// Clusters of several code points: families, skin tones, flags, and signs that need a variation selector.
const EMOJI: &[&str] = &["👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🧑🏿‍🚀", "🇯🇵", "🇩🇪", "❤️", "✈️", "🚀", "🎉", "😀", "🤷🏻‍♀️", "1️⃣"];

/// Decomposed text: letters followed by combining marks.
const COMBINING: &[&str] = &[
    "e\u{301}te\u{301}",
    "u\u{308}ber",
    "n\u{303}andu\u{301}",
    "a\u{30a}ngstro\u{308}m",
    "Vie\u{302}\u{323}t",
    "c\u{327}a",
    "o\u{308}\u{304}",
    "s\u{30c}koda",
    "x\u{332}y\u{332}",
];

/// One code point, one cell, two or three bytes.
const NARROW: &[&str] =
    &["Привет", "соединение", "γραμμή", "naïve", "Größe", "→", "│", "└──", "✓", "“quoted”", "…"];

/// A line that mixes scripts: about half of it wide, the rest narrow, combining and ASCII.
pub(super) fn line(out: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.within(4, 14) {
        let word = match random.within(0, 10) {
            0..4 => random.pick(CJK),
            4..6 => random.pick(EMOJI),
            6..8 => random.pick(COMBINING),
            8 => random.pick(NARROW),
            _ => random.pick(WORDS),
        };
        put!(out, "{word} ");
    }
    out.extend_from_slice(b"\r\n");
}
