mod daemon;
mod host;
mod mcp;
mod targets;

use std::fmt::Write;
use std::path::Path;

use crate::args::Args;
use crate::daemon::Daemon;
use crate::engine::{Kind, Size};
use crate::mcp::Mcp;
use crate::memory::{self, Use};
use crate::own::Own;
use crate::reading::Text;
use crate::throughput;

/// All results; parts that were not requested are empty.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) throughput: Vec<throughput::Row>,
    pub(crate) memory: Vec<memory::Row>,
    pub(crate) reading: Vec<Text>,
    pub(crate) resizing: Vec<(Kind, f64)>,
    pub(crate) own: Vec<Own>,
    pub(crate) daemon: Option<Daemon>,
    pub(crate) mcp: Option<Mcp>,
}

/// Writes `docs/benchmarks.md` after a complete run; otherwise prints the tables.
pub(crate) fn publish(results: &Results, args: &Args) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot update docs/benchmarks.md: {error}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md");
    let page = if args.whole {
        page(results, args)
    } else if args.page {
        let page = std::fs::read_to_string(&path).map_err(failed)?;
        sections(results).into_iter().fold(page, |page, (heading, text)| replaced(&page, heading, &text))
    } else {
        let sections = sections(results).into_iter().map(|(_, text)| text);
        let engine = [throughput(results), memory(results), reading(results), own(results), targets(results)];
        for table in engine.into_iter().chain(sections).filter(|table| !table.is_empty()) {
            println!("{}\n", table.trim_end());
        }
        return Ok(());
    };
    std::fs::write(&path, page).map_err(failed)?;
    eprintln!("wrote docs/benchmarks.md");
    Ok(())
}

fn page(results: &Results, args: &Args) -> String {
    include_str!("report/template.md")
        .replace("{{date}}", &host::today())
        .replace("{{machine}}", &host::machine())
        .replace("{{compiler}}", &host::compiler())
        .replace("{{versions}}", &versions(args))
        .replace("{{mib}}", &args.mib.to_string())
        .replace("{{reps}}", &args.reps.to_string())
        .replace("{{targets}}", targets(results).trim_end())
        .replace("{{throughput}}", throughput(results).trim_end())
        .replace("{{memory}}", memory(results).trim_end())
        .replace("{{reading}}", reading(results).trim_end())
        .replace("{{own}}", own(results).trim_end())
        .replace("{{daemon}}", results.daemon.as_ref().map(daemon::section).unwrap_or_default().trim_end())
        .replace("{{mcp}}", results.mcp.as_ref().map(mcp::section).unwrap_or_default().trim_end())
}

/// The sections that can be measured and replaced separately, each with its heading.
fn sections(results: &Results) -> Vec<(&'static str, String)> {
    let daemon = results.daemon.as_ref().map(|measured| (daemon::HEADING, daemon::section(measured)));
    let mcp = results.mcp.as_ref().map(|measured| (mcp::HEADING, mcp::section(measured)));
    daemon.into_iter().chain(mcp).collect()
}

/// The page with one section replaced or added.
fn replaced(page: &str, heading: &str, text: &str) -> String {
    let start = page.find(&format!("{heading}\n")).unwrap_or(page.len());
    let end = page[start..].find("\n## ").map_or(page.len(), |at| start + at + 1);
    let parts = [page[..start].trim_end(), text.trim(), page[end..].trim()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("\n\n"))
}

fn versions(args: &Args) -> String {
    let each = args.engines.iter().map(|kind| format!("{} {}", kind.package(), kind.version()));
    each.collect::<Vec<_>>().join(", ")
}

fn throughput(results: &Results) -> String {
    let mut out = String::new();
    for size in sizes(&results.throughput) {
        let rows: Vec<_> = results.throughput.iter().filter(|row| row.size == size).collect();
        let Some(first) = rows.first() else { continue };
        let kinds: Vec<Kind> = first.speeds.iter().map(|(kind, _)| *kind).collect();
        header(&mut out, &format!("MB/s at {}", size.label()), &kinds, &["cotty / alacritty per repetition"]);
        for row in &rows {
            let _ = write!(out, "| {} |", row.corpus.title());
            for kind in &kinds {
                out.push_str(&cell(&row.speeds, *kind, number, Better::More));
            }
            let _ = writeln!(out, " {} |", row.spread.map_or(String::new(), |spread| spread.to_string()));
        }
        if rows.len() > 1 {
            out.push_str("| **geometric mean of the ratios** |");
            for kind in &kinds {
                let ratios = rows.iter().filter_map(|row| targets::speed_ratio(row, *kind));
                match targets::geometric_mean(ratios) {
                    Some(mean) => drop(write!(out, " **{mean:.2}×** |")),
                    None => out.push_str(" |"),
                }
            }
            out.push_str(" |\n");
        }
        out.push('\n');
    }
    out
}

fn memory(results: &Results) -> String {
    let mut out = String::new();
    memory_table(&mut out, results, "KiB of heap per session", |used| used.heap);
    memory_table(&mut out, results, "KiB resident per session", |used| used.resident);
    memory_table(&mut out, results, "heap blocks per session", |used| used.blocks);
    out
}

fn memory_table(out: &mut String, results: &Results, title: &str, field: fn(&Use) -> f64) {
    let Some(first) = results.memory.first() else { return };
    let kinds: Vec<Kind> = first.uses.iter().map(|(kind, _)| *kind).collect();
    header(out, title, &kinds, &[]);
    for row in &results.memory {
        let values: Vec<(Kind, f64)> = row.uses.iter().map(|(kind, used)| (*kind, field(used))).collect();
        let _ = write!(out, "| {} |", row.case.title());
        for kind in &kinds {
            out.push_str(&cell(&values, *kind, number, Better::Less));
        }
        out.push('\n');
    }
    out.push('\n');
}

fn reading(results: &Results) -> String {
    let mut out = String::new();
    let Some(first) = results.reading.first() else { return out };
    let kinds: Vec<Kind> = first.times.iter().map(|(kind, _)| *kind).collect();
    header(&mut out, "reading and resizing", &kinds, &[]);
    for row in &results.reading {
        let _ = write!(out, "| text of the screen, {}, µs |", row.size.label());
        for kind in &kinds {
            out.push_str(&cell(&row.times, *kind, number, Better::Less));
        }
        out.push('\n');
    }
    out.push_str("| resize 80 → 60 → 80 columns, 10,000 rows, ms |");
    for kind in &kinds {
        let note = if kind.reflows() { "" } else { " no reflow" };
        out.push_str(&cell(&results.resizing, *kind, |ms| number(ms) + note, Better::Less));
    }
    out.push_str("\n\n");
    out
}

fn own(results: &Results) -> String {
    let mut out = String::new();
    let Some(first) = results.own.first() else { return out };
    out.push_str("| cotty-vt only, µs |");
    for at in &results.own {
        let _ = write!(out, " {} |", at.size.label());
    }
    let _ = writeln!(out, "\n|---|{}", "--:|".repeat(results.own.len()));
    for (index, (what, _)) in first.times.iter().enumerate() {
        let _ = write!(out, "| {what} |");
        for at in &results.own {
            let _ =
                write!(out, " {} |", at.times.get(index).map_or(String::new(), |(_, time)| number(*time)));
        }
        out.push('\n');
    }
    out.push_str("| KiB of `state()` |");
    for at in &results.own {
        let _ = write!(out, " {} |", number(at.state as f64 / 1024.0));
    }
    out.push_str("\n\n");
    out
}

fn targets(results: &Results) -> String {
    judged(targets::judge(results))
}

fn judged(rows: Vec<targets::Target>) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    out.push_str("| figure | measured | required | | goal | |\n|---|--:|--:|---|--:|---|\n");
    for row in rows {
        let held = if row.held() { "met" } else { "**missed**" };
        let goal = row.goal.map_or(String::new(), |goal| row.limit(goal));
        let reached = row.reached().map_or("", |reached| if reached { "reached" } else { "not yet" });
        let _ = writeln!(
            out,
            "| {} | {} | {} | {held} | {goal} | {reached} |",
            row.what,
            row.show(row.measured),
            row.limit(row.hold)
        );
    }
    out.push('\n');
    out
}

/// Whether a larger or a smaller value is better.
#[derive(Clone, Copy)]
enum Better {
    More,
    Less,
}

/// A value with its ratio to alacritty's: how many times as fast, or what fraction of the memory or time.
fn cell(values: &[(Kind, f64)], kind: Kind, show: impl Fn(f64) -> String, better: Better) -> String {
    let find = |kind| values.iter().find(|(known, _)| *known == kind).map(|(_, value)| *value);
    let Some(value) = find(kind) else { return " |".to_owned() };
    match find(Kind::Alacritty) {
        Some(reference) if kind != Kind::Alacritty && value > 0.0 => {
            let ratio = match better {
                Better::More => format!("{:.2}×", value / reference),
                Better::Less if value <= reference => format!("1/{}", short(reference / value)),
                Better::Less => format!("{}×", short(value / reference)),
            };
            format!(" {} ({ratio}) |", show(value))
        }
        _ => format!(" {} |", show(value)),
    }
}

fn header(out: &mut String, title: &str, kinds: &[Kind], more: &[&str]) {
    let names = kinds.iter().map(|kind| format!(" {} {} |", kind.package(), kind.version()));
    let names: Vec<String> = names.chain(more.iter().map(|name| format!(" {name} |"))).collect();
    let _ = writeln!(out, "| {title} |{}\n|---|{}", names.concat(), "--:|".repeat(names.len()));
}

/// Formats three digits, which exceeds the precision of the measurements.
fn number(value: f64) -> String {
    if value >= 1000.0 {
        let whole = format!("{value:.0}");
        let (head, tail) = whole.split_at(whole.len() - 3);
        return format!("{head},{tail}");
    }
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn short(ratio: f64) -> String {
    if ratio >= 20.0 { format!("{ratio:.0}") } else { format!("{ratio:.1}") }
}

/// The sizes measured, in their order.
fn sizes(rows: &[throughput::Row]) -> Vec<Size> {
    let mut sizes = Vec::new();
    for row in rows {
        if !sizes.contains(&row.size) {
            sizes.push(row.size);
        }
    }
    sizes
}
