use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rustix::fs::{Mode as FileMode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::home::{Client, Home};
use super::writer::{self, Mode, Writer};
use super::{median, quantile};
use crate::args::Args;

/// MB/s of a program that writes to a terminal, and its effect on another session.
#[derive(Debug)]
pub(crate) struct Drained {
    pub(crate) mode: Mode,
    pub(crate) bare: f64,
    pub(crate) daemon: f64,
    /// The median of the ratios of single repetitions.
    pub(crate) ratio: f64,
    /// Milliseconds from a typed line to its echo in another session: while idle, and during the writing.
    pub(crate) echo_alone: Echo,
    pub(crate) echo_busy: Echo,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Echo {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// Alternates bare loop and daemon, and takes the median of each: single runs differ by a factor of two because of scheduling.
pub(super) fn measure(args: &Args) -> Result<Vec<Drained>, String> {
    let home = Home::start(10)?;
    [Mode::Cooked, Mode::Raw].into_iter().map(|mode| one(args, &home, mode)).collect()
}

fn one(args: &Args, home: &Home, mode: Mode) -> Result<Drained, String> {
    let me = me()?;
    let mut client = home.client()?;
    let mut writer = Writer { mode, mib: 2 * args.mib, result: home.path("speed"), endless: false };
    let (mut bares, mut daemons) = (Vec::new(), Vec::new());
    for _ in 0..args.reps {
        bares.push(bare(&me, &writer)?);
        let session = client.create(&me, &writer.args())?;
        daemons.push(writer::speed(&writer.result)?);
        client.call("destroy", &serde_json::json!({"session": session, "force": true}))?;
    }
    let echo_alone = echo(&mut client)?;
    writer.endless = true;
    let session = client.create(&me, &writer.args())?;
    let echo_busy = echo(&mut client)?;
    writer::end(&writer.result)?;
    client.call("destroy", &serde_json::json!({"session": session, "force": true}))?;
    let ratios: Vec<f64> = daemons.iter().zip(&bares).map(|(daemon, bare)| daemon / bare).collect();
    let drained = Drained {
        mode,
        bare: median(&bares),
        daemon: median(&daemons),
        ratio: median(&ratios),
        echo_alone,
        echo_busy,
    };
    eprintln!(
        "drain {:6}  bare {:.0}  cotty {:.0} MB/s ({:.2}×)  echo p99 idle {:.2} ms, busy {:.2} ms",
        mode.name(),
        drained.bare,
        drained.daemon,
        drained.ratio,
        echo_alone.p99,
        echo_busy.p99
    );
    Ok(drained)
}

/// The path of this program, which is also the writer.
pub(super) fn me() -> Result<String, String> {
    std::env::current_exe().map(|path| path.display().to_string()).map_err(|error| error.to_string())
}

/// The speed of a reader that discards everything.
fn bare(me: &str, writer: &Writer) -> Result<f64, String> {
    let failed = |error: std::io::Error| format!("cannot use a bare terminal: {error}");
    let (master, slave) = terminal().map_err(failed)?;
    let clone = |fd: &OwnedFd| fd.try_clone().map_err(failed);
    let mut child = Command::new(me)
        .args(writer.args())
        .stdin(clone(&slave)?)
        .stdout(clone(&slave)?)
        .stderr(slave)
        .spawn()
        .map_err(failed)?;
    let mut master = File::from(master);
    let mut buffer = vec![0; 64 << 10];
    // Reading fails when the child has closed its side.
    while master.read(&mut buffer).is_ok_and(|count| count > 0) {}
    child.wait().map_err(failed)?;
    writer::speed(&writer.result)
}

/// A pseudo-terminal.
pub(crate) fn terminal() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let path = Path::new(name.to_str().map_err(std::io::Error::other)?);
    let slave = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, FileMode::empty())?;
    Ok((master, slave))
}

/// Types lines into `cat` and waits for each echo: two calls over one connection.
fn echo(client: &mut Client) -> Result<Echo, String> {
    let session = client.create("cat", &[])?;
    let mut times = Vec::new();
    for turn in 0..400 {
        let text = format!("line {turn}.");
        let started = Instant::now();
        let sent =
            client.call("send", &serde_json::json!({"session": session, "text": format!("{text}\n")}))?;
        client.shows(&session, &text, sent["seq"].as_u64().unwrap_or(0))?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    client.call("destroy", &serde_json::json!({"session": session, "force": true}))?;
    Ok(Echo { median: quantile(&mut times, 0.5), p99: quantile(&mut times, 0.99) })
}
