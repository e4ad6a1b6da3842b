use super::{Random, put};

pub(super) const WORDS: &[&str] = &[
    "the",
    "request",
    "was",
    "handled",
    "in",
    "time",
    "connection",
    "closed",
    "by",
    "peer",
    "retry",
    "after",
    "timeout",
    "cache",
    "miss",
    "for",
    "key",
    "worker",
    "started",
    "with",
    "queue",
    "depth",
    "flushed",
    "segment",
    "to",
    "disk",
    "index",
    "rebuilt",
    "a",
    "transaction",
    "committed",
    "lease",
    "renewed",
    "on",
    "node",
    "slow",
    "query",
    "of",
    "table",
    "accounts",
    "and",
    "orders",
    "upload",
    "finished",
    "checksum",
    "verified",
    "ok",
];

const LEVELS: &[&str] = &["INFO ", "INFO ", "INFO ", "INFO ", "DEBUG", "DEBUG", "WARN ", "ERROR", "TRACE"];

const MODULES: &[&str] = &[
    "http::server",
    "storage::wal",
    "storage::compact",
    "net::pool",
    "auth",
    "scheduler",
    "db::query",
    "cluster::raft",
    "metrics",
];

const PATHS: &[&str] = &[
    "/api/v1/items",
    "/var/lib/service/segments",
    "/health",
    "src/net/pool.rs",
    "/static/app.js",
    "src/main.rs",
    "/etc/service/config.toml",
    "crates/core/src/storage/mod.rs",
    "/api/v2/accounts/search",
];

/// A server's log line: a time, a level, a module, words, then pairs; 40 to about 180 characters.
pub(super) fn log_line(out: &mut Vec<u8>, random: &mut Random) {
    let (hour, minute, second) = (random.within(0, 24), random.within(0, 60), random.within(0, 60));
    put!(out, "2031-04-{:02}T{hour:02}:{minute:02}:{second:02}", random.within(1, 31));
    put!(out, ".{:03}Z {} {}: ", random.within(0, 1000), random.pick(LEVELS), random.pick(MODULES));
    words(out, random, 2, 9);
    for _ in 0..random.within(0, 4) {
        match random.within(0, 4) {
            0 => put!(out, " path={}/{}", random.pick(PATHS), random.within(1, 99_999)),
            1 => put!(out, " took={}ms", random.within(1, 3_000)),
            2 => put!(out, " id={:016x}", random.next()),
            _ => put!(out, " status={}", random.within(200, 504)),
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Words with a space between them.
pub(super) fn words(out: &mut Vec<u8>, random: &mut Random, from: u64, to: u64) {
    for at in 0..random.within(from, to) {
        if at > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(random.pick(WORDS).as_bytes());
    }
}

/// A record of minified JSON, without a line end.
pub(super) fn json(out: &mut Vec<u8>, random: &mut Random) {
    put!(out, "{{\"id\":{},\"hash\":\"{:016x}\",\"name\":\"", random.within(1, 1_000_000), random.next());
    words(out, random, 1, 5);
    put!(out, "\",\"path\":\"{}\",\"size\":{},\"tags\":[", random.pick(PATHS), random.within(0, 1 << 30));
    for at in 0..random.within(1, 5) {
        put!(out, "{}\"{}\"", if at > 0 { "," } else { "" }, random.pick(WORDS));
    }
    put!(out, "],\"live\":{}}},", random.one_in(2));
}
