use std::fmt::Write;

use super::{host, judged, number, targets};
use crate::daemon::Daemon;

pub(super) const HEADING: &str = "## The daemon";

/// The section of the page.
pub(super) fn section(daemon: &Daemon) -> String {
    let scale = &daemon.scale;
    include_str!("daemon.md")
        .replace("{{heading}}", HEADING)
        .replace("{{date}}", &host::today())
        .replace("{{machine}}", &host::machine())
        .replace("{{sessions}}", &number(scale.sessions as f64))
        .replace("{{idle}}", &scale.idle.to_string())
        .replace("{{targets}}", judged(targets::judge_daemon(daemon)).trim_end())
        .replace("{{terminals}}", terminals(daemon).trim_end())
        .replace("{{scale}}", many(daemon).trim_end())
}

fn terminals(daemon: &Daemon) -> String {
    let mut out = "| | bare read loop | cotty | ratio |\n|---|--:|--:|--:|\n".to_owned();
    for drained in &daemon.drained {
        let (mode, bare, ours) = (drained.mode.name(), drained.bare, drained.daemon);
        let _ = writeln!(
            out,
            "| draining, {mode}, MB/s | {} | {} | {:.2}× |",
            number(bare),
            number(ours),
            drained.ratio
        );
    }
    let watched = &daemon.watched;
    let mut busy = |who: &str, speed: f64, ratio: f64| {
        let _ = writeln!(out, "| a busy session, {who}, MB/s | | {} | {ratio:.2}× |", number(speed));
    };
    busy("no viewers", watched.alone, 1.0);
    busy(&format!("{} viewers", watched.viewers), watched.watched, watched.watched_ratio);
    busy("plus a viewer that never reads", watched.stalled, watched.stalled_ratio);
    let (least, most) = (number(watched.frames.0), number(watched.frames.1));
    let _ = writeln!(out, "| frames per second of a viewer, minimum and maximum | | {least} to {most} | |");
    out.push_str("\n| echo in another session, ms | idle: median | p99 | busy: median | p99 |\n|---|--:|--:|--:|--:|\n");
    for drained in &daemon.drained {
        let (alone, busy) = (drained.echo_alone, drained.echo_busy);
        let times = [alone.median, alone.p99, busy.median, busy.p99].map(number).join(" | ");
        let _ = writeln!(out, "| while a session prints, {} | {times} |", drained.mode.name());
    }
    out
}

fn many(daemon: &Daemon) -> String {
    let scale = &daemon.scale;
    let rows = [
        ("opening a terminal and starting `cat`, without cotty, ms", number(scale.bare)),
        ("creating a session with `cat`, the first tenth, ms", number(scale.first)),
        ("the same, the last tenth, ms", number(scale.last)),
        ("listing all sessions, ms", number(scale.list)),
        ("the daemon with one session, MB resident", number(scale.one)),
        ("heap of each further session, KiB", number(scale.heap)),
        ("used journal of each further session, KiB", number(scale.journal)),
        ("voluntary context switches while idle", scale.switches.to_string()),
        ("first read after a SIGKILL, ms", number(scale.first_read)),
        ("until all sessions have answered, ms", number(scale.all)),
        ("ending all sessions, ms", number(scale.stop)),
    ];
    let rows = rows.map(|(what, value)| format!("| {what} | {value} |\n")).concat();
    format!("| {} sessions | |\n|---|--:|\n{rows}", number(scale.sessions as f64))
}
