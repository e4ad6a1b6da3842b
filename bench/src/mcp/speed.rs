use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use super::pipe::Pipe;
use crate::args::Args;
use crate::daemon::drain::terminal;
use crate::daemon::home::{Home, binary};
use crate::daemon::median;
use crate::daemon::scale::Memory;

/// Milliseconds, each the median.
#[derive(Debug)]
pub(crate) struct Speed {
    /// `run "echo hi"` in a live bash.
    pub(crate) run: f64,
    /// `tools/list`: the cost of any call.
    pub(crate) list: f64,
    /// The same echo in a bare bash in a bare terminal.
    pub(crate) bare: f64,
    /// From the start of `cotty mcp` to the list of tools: with a running daemon, and without.
    pub(crate) warm: f64,
    pub(crate) cold: f64,
    /// MB of the daemon with one session.
    pub(crate) memory: f64,
}

impl Speed {
    /// The time that cotty adds to the echo.
    pub(crate) fn own(&self) -> f64 {
        (self.run - self.list - self.bare).max(0.0)
    }
}

pub(super) fn measure(args: &Args) -> Result<Speed, String> {
    let rounds = args.reps * 50;
    let home = Home::start(10)?;
    let mut pipe = Pipe::start(home.command()?, &[])?;
    let session = pipe.shell()?;
    let memory = Memory::of(home.daemon()?)?.resident / 1e3;
    let hi = json!({"session_id": session, "command": "echo hi"});
    let mut echo = Echo::start()?;
    let (mut run, mut list, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    // Alternate, so that other load on the machine affects all of them.
    for _ in 0..rounds {
        run.push(timed(|| match pipe.call("terminal__run", &hi)?.1["output"].as_str() {
            Some("hi\n") => Ok(()),
            other => Err(format!("`run` returned {other:?}")),
        })?);
        list.push(timed(|| pipe.request("tools/list", json!({})).map(drop))?);
        bare.push(timed(|| echo.turn())?);
    }
    let mut warm = Vec::new();
    for _ in 0..args.reps * 5 {
        warm.push(timed(|| list_tools(home.command()?))?);
    }
    drop(pipe);
    drop(home);
    let mut cold = Vec::new();
    for turn in 0..args.reps * 3 {
        let dir = std::env::temp_dir().join(format!("cotty-bench-{}-{turn}", std::process::id()));
        let command = |word: &[&str]| -> Result<Command, String> {
            let mut command = Command::new(binary()?);
            command.env("COTTY_HOME", &dir).env("COTTY_HTTP_LISTEN", "127.0.0.1:0").args(word);
            Ok(command)
        };
        cold.push(timed(|| list_tools(command(&[])?))?);
        let stopped = command(&["stop"])?.stderr(Stdio::null()).status();
        stopped.map_err(|error| error.to_string())?;
        let _ = std::fs::remove_dir_all(&dir);
    }
    let [run, list, bare, warm, cold] = [run, list, bare, warm, cold].map(|times| median(&times));
    Ok(Speed { run, list, bare, warm, cold, memory })
}

fn list_tools(command: Command) -> Result<(), String> {
    let mut pipe = Pipe::start(command, &[])?;
    pipe.request("tools/list", json!({})).map(drop)
}

fn timed(work: impl FnOnce() -> Result<(), String>) -> Result<f64, String> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

/// A bash in a bare terminal.
struct Echo {
    terminal: File,
    shell: std::process::Child,
}

impl Echo {
    fn start() -> Result<Echo, String> {
        let failed = |error: std::io::Error| format!("cannot start a bare bash: {error}");
        let (master, slave) = terminal().map_err(failed)?;
        let shell = Command::new("setsid")
            .args(["--ctty", "bash", "--norc", "--noprofile", "-i"])
            .env("PS1", "$ ")
            .env("TERM", "dumb")
            .stdin(slave.try_clone().map_err(failed)?)
            .stdout(slave.try_clone().map_err(failed)?)
            .stderr(slave)
            .spawn()
            .map_err(failed)?;
        let mut echo = Echo { terminal: master.into(), shell };
        echo.until_prompt("")?;
        Ok(echo)
    }

    fn turn(&mut self) -> Result<(), String> {
        self.terminal.write_all(b"echo hi\n").map_err(|error| error.to_string())?;
        self.until_prompt("\nhi\r\n")
    }

    fn until_prompt(&mut self, after: &str) -> Result<(), String> {
        let mut output = Vec::new();
        let mut part = [0; 4096];
        while !(output.ends_with(b"$ ") && String::from_utf8_lossy(&output).contains(after)) {
            let read =
                self.terminal.read(&mut part).map_err(|error| format!("cannot read from bash: {error}"))?;
            output.extend_from_slice(&part[..read]);
        }
        Ok(())
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
