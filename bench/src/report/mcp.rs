use std::fmt::Write;

use super::{host, judged, number, targets};
use crate::mcp::Mcp;

pub(super) const HEADING: &str = "## MCP";

/// What it measured, under a heading of its own.
pub(super) fn section(mcp: &Mcp) -> String {
    include_str!("mcp.md")
        .replace("{{heading}}", HEADING)
        .replace("{{date}}", &host::today())
        .replace("{{machine}}", &host::machine())
        .replace("{{targets}}", judged(targets::judge_mcp(mcp)).trim_end())
        .replace("{{speed}}", speed(mcp).trim_end())
        .replace("{{answers}}", answers(mcp).trim_end())
        .replace("{{tools}}", tools(mcp).trim_end())
}

fn speed(mcp: &Mcp) -> String {
    let speed = &mcp.speed;
    let rows = [
        ("`run \"echo hi\"` in a live bash", speed.run),
        ("`tools/list`, which is taken off", speed.list),
        ("the same echo in a bare bash in a bare terminal, which is taken off, too", speed.bare),
        ("from starting `cotty mcp` to the list of tools, with a daemon", speed.warm),
        ("without one", speed.cold),
    ];
    let rows = rows.map(|(what, value)| format!("| {what} | {} |\n", number(value))).concat();
    format!("| median, ms | |\n|---|--:|\n{rows}")
}

fn answers(mcp: &Mcp) -> String {
    let mut out =
        "| bytes | written | useful | given | ratio | lines lost |\n|---|--:|--:|--:|--:|--:|\n".to_owned();
    for answer in &mcp.answers {
        let sizes =
            [answer.written, answer.useful, answer.given].map(|bytes| number(bytes as f64)).join(" | ");
        let _ =
            writeln!(out, "| {} | {sizes} | {:.2} | {} |", answer.name, answer.ratio(), answer.lost.len());
    }
    for (answer, line) in
        mcp.answers.iter().flat_map(|answer| answer.lost.iter().map(move |line| (answer, line)))
    {
        eprintln!("{}: lost {line:?}", answer.name);
    }
    out
}

fn tools(mcp: &Mcp) -> String {
    let mut out = "| ms | median | p99 |\n|---|--:|--:|\n".to_owned();
    for tool in &mcp.tools {
        let _ = writeln!(out, "| `{}` | {} | {} |", tool.name, number(tool.median), number(tool.p99));
    }
    out
}
