use super::Results;
use crate::corpus::Corpus;
use crate::daemon::Daemon;
use crate::daemon::writer::Mode;
use crate::engine::Kind;
use crate::mcp::Mcp;
use crate::memory::{self, Case};
use crate::throughput;

/// A measured figure with its required value.
pub(super) struct Target {
    pub(super) what: String,
    pub(super) measured: f64,
    pub(super) hold: f64,
    pub(super) goal: Option<f64>,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    /// A multiple of alacritty's speed; a lower limit.
    Times,
    /// Alacritty's memory divided by ours, shown as a fraction; a lower limit.
    Part,
    /// KiB; an upper limit.
    Kib,
    /// An upper limit, with its unit.
    Most(&'static str),
}

impl Target {
    pub(super) fn held(&self) -> bool {
        self.meets(self.hold)
    }

    pub(super) fn reached(&self) -> Option<bool> {
        self.goal.map(|goal| self.meets(goal))
    }

    pub(super) fn show(&self, value: f64) -> String {
        match self.unit {
            Unit::Times => format!("{value:.2}×"),
            Unit::Part => format!("1/{value:.1}"),
            Unit::Kib => format!("{value:.1} KiB"),
            Unit::Most(unit) => format!("{}{unit}", super::number(value)),
        }
    }

    pub(super) fn limit(&self, value: f64) -> String {
        match self.unit {
            Unit::Times => format!("≥ {value}×"),
            Unit::Part => format!("≤ 1/{value}"),
            Unit::Kib => format!("≤ {value} KiB"),
            Unit::Most(unit) => format!("≤ {value}{unit}"),
        }
    }

    fn meets(&self, limit: f64) -> bool {
        match self.unit {
            Unit::Times | Unit::Part => self.measured >= limit,
            Unit::Kib | Unit::Most(_) => self.measured <= limit,
        }
    }
}

/// The engine's figures from this run.
pub(super) fn judge(results: &Results) -> Vec<Target> {
    let mut out = Vec::new();
    for size in super::sizes(&results.throughput) {
        let rows: Vec<_> = results.throughput.iter().filter(|row| row.size == size).collect();
        let ratio = |row: &&throughput::Row| speed_ratio(row, Kind::Cotty);
        let mut add = |what: &str, measured: Option<f64>, hold: f64, goal: Option<f64>| {
            let what = format!("{what}, {}", size.label());
            out.extend(measured.map(|measured| Target { what, measured, hold, goal, unit: Unit::Times }));
        };
        let of = |corpus| rows.iter().find(|row| row.corpus == corpus).and_then(ratio);
        if rows.len() == Corpus::ALL.len() {
            add("throughput, geometric mean", geometric_mean(rows.iter().filter_map(ratio)), 2.5, None);
            let least = rows.iter().filter_map(|row| Some((ratio(row)?, row.corpus.name())));
            if let Some((least, name)) = least.min_by(|a, b| a.0.total_cmp(&b.0)) {
                add(&format!("throughput, minimum ({name})"), Some(least), 1.5, Some(2.0));
            }
        }
        add("throughput, plain", of(Corpus::Plain), 3.5, None);
        add("throughput, long lines", of(Corpus::Long), 1.5, Some(5.0));
    }
    let mut add = |what: &str, measured: Option<f64>, hold, goal, unit| {
        out.extend(measured.map(|measured| Target { what: what.to_owned(), measured, hold, goal, unit }));
    };
    let case = |case| results.memory.iter().find(|row| row.case == case);
    add("memory, idle engine", case(Case::Idle).and_then(most), 32.0, None, Unit::Kib);
    add("memory, plain history", case(Case::Plain80).and_then(memory_part), 18.0, Some(25.0), Unit::Part);
    add("memory, SGR history", case(Case::Sgr80).and_then(memory_part), 12.0, Some(25.0), Unit::Part);
    out
}

/// The daemon's figures. Speeds are ratios to the bare kernel in the same run.
pub(super) fn judge_daemon(daemon: &Daemon) -> Vec<Target> {
    let mut out = Vec::new();
    let mut add = |what: String, measured, hold, goal, unit| {
        out.push(Target { what, measured, hold, goal, unit });
    };
    for drained in &daemon.drained {
        let (mode, hold) = match drained.mode {
            Mode::Cooked => ("cooked lines of 68 characters", 0.9),
            Mode::Raw => ("the same, raw", 0.7),
        };
        add(
            format!("draining a terminal, compared with a bare read loop, {mode}"),
            drained.ratio,
            hold,
            Some(0.95),
            Unit::Times,
        );
        let what = format!("another session's echo during this, p99, {}", drained.mode.name());
        add(what, drained.echo_busy.p99, 5.0, None, Unit::Most(" ms"));
    }
    let (scale, watched) = (&daemon.scale, &daemon.watched);
    let many = scale.sessions;
    add(
        format!("creating the last tenth of {many} sessions, compared with the first"),
        scale.last / scale.first,
        1.25,
        None,
        Unit::Most("×"),
    );
    let idle = format!("context switches with {many} idle sessions, {} s", scale.idle);
    add(idle, scale.switches as f64, 10.0, Some(0.0), Unit::Most(""));
    add("heap per idle session".to_owned(), scale.heap, 64.0, None, Unit::Kib);
    add("memory of the daemon with one session".to_owned(), scale.one, 12.0, Some(8.0), Unit::Most(" MB"));
    add(
        format!("time until {many} sessions answer after a SIGKILL"),
        scale.all,
        1000.0,
        None,
        Unit::Most(" ms"),
    );
    add(
        "time until the first read after a SIGKILL".to_owned(),
        scale.first_read,
        100.0,
        None,
        Unit::Most(" ms"),
    );
    let what = format!("speed of a busy session with {} viewers, compared with none", watched.viewers);
    add(what, watched.watched_ratio, 0.9, None, Unit::Times);
    let what = "frames of the slowest viewer, compared with the fastest".to_owned();
    add(what, watched.frames.0 / watched.frames.1, 0.9, None, Unit::Times);
    out
}

/// MCP's figures.
pub(super) fn judge_mcp(mcp: &Mcp) -> Vec<Target> {
    let mut out = Vec::new();
    let mut add = |what: &str, measured, hold, goal, unit| {
        out.push(Target { what: what.to_owned(), measured, hold, goal, unit: Unit::Most(unit) });
    };
    let speed = &mcp.speed;
    add("time that cotty adds to `run \"echo hi\"`", speed.own(), 1.0, Some(0.3), " ms");
    add("start to list of tools, with a running daemon", speed.warm, 15.0, None, " ms");
    add("start to list of tools, without a daemon", speed.cold, 50.0, Some(25.0), " ms");
    add("memory of the daemon with one session", speed.memory, 12.0, Some(8.0), " MB");
    let slowest = mcp.tools.iter().max_by(|a, b| a.p99.total_cmp(&b.p99));
    if let Some(tool) = slowest {
        add(&format!("slowest tool ({}), p99", tool.name), tool.p99, 100.0, None, " ms");
    }
    let sum = |size: fn(&crate::mcp::Answer) -> usize| mcp.answers.iter().map(size).sum::<usize>() as f64;
    let ratio = sum(|answer| answer.given) / sum(|answer| answer.useful);
    add("twelve answers, bytes relative to the useful text", ratio, 1.15, Some(1.05), "×");
    add("distinct final lines missing in the answers", sum(|answer| answer.lost.len()), 0.0, None, "");
    add(
        "name, description and input schema of the default tools",
        mcp.schema as f64 / 1e3,
        12.0,
        None,
        " KB",
    );
    out
}

/// An engine's speed as a multiple of alacritty's.
pub(super) fn speed_ratio(row: &throughput::Row, kind: Kind) -> Option<f64> {
    let find = |kind| row.speeds.iter().find(|(known, _)| *known == kind).map(|(_, speed)| *speed);
    Some(find(kind)? / find(Kind::Alacritty)?)
}

/// The geometric mean; `None` without values.
pub(super) fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Alacritty's memory divided by ours, by heap or resident memory, whichever is worse for us.
fn memory_part(row: &memory::Row) -> Option<f64> {
    let find = |kind| row.uses.iter().find(|(known, _)| *known == kind).map(|(_, used)| *used);
    let (ours, theirs) = (find(Kind::Cotty)?, find(Kind::Alacritty)?);
    Some((theirs.heap / ours.heap).min(theirs.resident / ours.resident))
}

/// Our KiB of heap or resident memory, whichever is more.
fn most(row: &memory::Row) -> Option<f64> {
    let (_, used) = row.uses.iter().find(|(kind, _)| *kind == Kind::Cotty)?;
    Some(used.heap.max(used.resident))
}
