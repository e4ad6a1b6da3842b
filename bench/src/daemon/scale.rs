use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::drain::terminal;
use super::home::Home;
use super::median;
use crate::args::Args;

/// The results with a thousand sessions.
#[derive(Debug)]
pub(crate) struct Scale {
    pub(crate) sessions: usize,
    /// Milliseconds to start `cat` in a terminal: without cotty, in the first and in the last tenth of the sessions.
    pub(crate) bare: f64,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// MB resident with one session.
    pub(crate) one: f64,
    /// KiB per further session: heap (resident anonymous memory), and journal that the keeper holds.
    pub(crate) heap: f64,
    pub(crate) journal: f64,
    /// Milliseconds to list all sessions.
    pub(crate) list: f64,
    /// Voluntary context switches during `idle` seconds without activity.
    pub(crate) switches: u64,
    pub(crate) idle: u64,
    /// Milliseconds from a SIGKILL to the first read, and until every session has answered; the worst of several kills.
    pub(crate) first_read: f64,
    pub(crate) all: f64,
    /// Milliseconds to end all sessions.
    pub(crate) stop: f64,
}

pub(super) fn measure(args: &Args) -> Result<Scale, String> {
    let sessions = 1000;
    let home = Home::start(sessions)?;
    let mut client = home.client()?;
    let bare: Vec<f64> = (0..sessions / 10).map(|_| bare_start()).collect::<Result<_, _>>()?;
    let mut made = Vec::new();
    let mut times = Vec::new();
    let (mut one, mut before) = (0.0, Memory::default());
    for turn in 0..sessions {
        let started = Instant::now();
        made.push(client.create("cat", &[])?);
        times.push(started.elapsed().as_secs_f64() * 1e3);
        if turn == 0 {
            before = Memory::of(home.daemon()?)?;
            one = before.resident / 1e3;
        }
    }
    let after = Memory::of(home.daemon()?)?;
    let each = |before: f64, after: f64| (after - before) / (sessions - 1) as f64;
    let started = Instant::now();
    let listed = client.call("list", &json!({}))?["count"].as_u64();
    let list = started.elapsed().as_secs_f64() * 1e3;
    if listed != Some(sessions as u64) {
        return Err(format!("expected {sessions} sessions in the list, got {listed:?}"));
    }
    let daemon = home.daemon()?;
    let switches = switches(daemon)?;
    std::thread::sleep(Duration::from_secs(args.idle));
    let switches = self::switches(daemon)? - switches;
    let (first_read, all) = survive(&home, &made, args.reps.min(3))?;
    let (first, last) = (median(&times[..sessions / 10]), median(&times[sessions - sessions / 10..]));
    let started = Instant::now();
    drop(home);
    let stop = started.elapsed().as_secs_f64() * 1e3;
    let scale = Scale {
        sessions,
        bare: median(&bare),
        first,
        last,
        one,
        heap: each(before.anonymous, after.anonymous) / 1.024,
        journal: each(before.shared, after.shared) / 1.024,
        list,
        switches,
        idle: args.idle,
        first_read,
        all,
        stop,
    };
    eprintln!("{scale:.1?}");
    Ok(scale)
}

/// Kills the daemon; returns the milliseconds until the first read and until all sessions have answered.
fn survive(home: &Home, made: &[String], kills: usize) -> Result<(f64, f64), String> {
    let (mut first_read, mut all) = (0.0_f64, 0.0_f64);
    for kill in 0..kills {
        let some = &made[(made.len() / 3 * (kill + 1)) % made.len()];
        home.kill_daemon()?;
        let killed = Instant::now();
        home.call_until_answered("read", &json!({"session": some}))?;
        first_read = first_read.max(killed.elapsed().as_secs_f64() * 1e3);
        let count = home.call_until_answered("list", &json!({}))?["count"].as_u64();
        all = all.max(killed.elapsed().as_secs_f64() * 1e3);
        if count != Some(made.len() as u64) {
            return Err(format!("expected {} sessions after a kill, got {count:?}", made.len()));
        }
    }
    Ok((first_read, all))
}

/// Milliseconds to open a terminal and start `cat` in it.
fn bare_start() -> Result<f64, String> {
    let failed = |error: std::io::Error| error.to_string();
    let started = Instant::now();
    let (_master, slave) = terminal().map_err(failed)?;
    let mut child = Command::new("cat")
        .stdin(slave.try_clone().map_err(failed)?)
        .stdout(slave)
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let time = started.elapsed().as_secs_f64() * 1e3;
    child.kill().and_then(|()| child.wait()).map_err(failed)?;
    Ok(time)
}

/// The memory of a process in kilobytes.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) resident: f64,
    anonymous: f64,
    shared: f64,
}

impl Memory {
    pub(crate) fn of(pid: i32) -> Result<Memory, String> {
        let status =
            std::fs::read_to_string(format!("/proc/{pid}/status")).map_err(|error| error.to_string())?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line
                .and_then(|line| line.split_whitespace().next())
                .and_then(|word| word.parse::<f64>().ok());
            kib.map(|kib| kib * 1.024).ok_or(format!("no {name} in /proc"))
        };
        Ok(Memory { resident: field("VmRSS:")?, anonymous: field("RssAnon:")?, shared: field("RssShmem:")? })
    }
}

/// Voluntary context switches of all threads of a process.
fn switches(pid: i32) -> Result<u64, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut all = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).map_err(failed)? {
        let status =
            std::fs::read_to_string(thread.map_err(failed)?.path().join("status")).map_err(failed)?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        all += line.and_then(|line| line.trim().parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(all)
}
