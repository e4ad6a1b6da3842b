use std::fmt::Write;

use super::{host, judged, number, targets};
use crate::mcp::Mcp;

pub(super) const HEADING: &str = "## MCP";

/// The section of the page.
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
        ("`tools/list`, which is subtracted", speed.list),
        ("the same echo in a bare bash in a bare terminal, also subtracted", speed.bare),
        ("from the start of `cotty mcp` to the list of tools, with a running daemon", speed.warm),
        ("the same, without a daemon", speed.cold),
    ];
    let rows = rows.map(|(what, value)| format!("| {what} | {} |\n", number(value))).concat();
    format!("| median, ms | |\n|---|--:|\n{rows}")
}

fn answers(mcp: &Mcp) -> String {
    let mut out =
        "| bytes | written | useful | answer | ratio | lines lost |\n|---|--:|--:|--:|--:|--:|\n".to_owned();
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
