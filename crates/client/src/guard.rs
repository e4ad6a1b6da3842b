//! A daemon that ends with its client: `cotty mcp --ephemeral`.
//!
//! The client holds one end of a pipe and never writes to it. The guard, which is outside the client's process tree, holds
//! the other end. When the client ends, even by SIGKILL, the kernel closes the pipe. The guard then ends its keeper, which
//! ends every session, and deletes the home.

use std::io::{PipeReader, PipeWriter};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::{ClientError, Home};

/// How long the keeper may take to end its sessions: longer than the limit for each of them.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);
const TRIES: usize = 50;

/// The client's hold on its guard.
#[derive(Debug)]
pub(crate) struct Lifeline {
    guards: PipeReader,
    _ours: PipeWriter,
}

impl Lifeline {
    pub(crate) fn new() -> Result<Lifeline, ClientError> {
        let (guards, ours) = std::io::pipe()?;
        Ok(Lifeline { guards, _ours: ours })
    }

    /// Makes the launcher start a guard that holds the other end, for this home.
    pub(crate) fn hold(&self, launcher: &mut Command, home: &Home) -> Result<(), ClientError> {
        launcher.arg("--guarded").stdin(self.guards.try_clone()?).env("COTTY_HOME", home.state());
        // The default port belongs to the usual daemon.
        launcher.env("COTTY_HTTP_LISTEN", "127.0.0.1:0");
        Ok(())
    }
}

/// `cotty __guard`: starts the keeper, which reports on our stdout when it is ready, and ends it when stdin closes.
pub fn guard(home: &Home) -> Result<(), ClientError> {
    std::env::set_current_dir("/")?;
    let mut keeper = Command::new(std::env::current_exe()?)
        .args(["__keeper", "--guarded"])
        .env_clear()
        .envs(crate::environment::needed())
        .stdin(Stdio::null())
        .spawn()?;
    // Close our copy of stdout, so that the client notices if the keeper ends without a report.
    let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(nowhere).map_err(std::io::Error::from)?;
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    // The keeper was not reaped yet, so the process id is still its own, even if it ended long ago.
    let _ = rustix::process::kill_process(Pid::from_child(&keeper), Signal::TERM);
    let until = Instant::now() + GRACE;
    while keeper.try_wait()?.is_none() {
        if Instant::now() >= until {
            // The keeper is stopped or hangs. Its terminals hang up when it dies.
            keeper.kill()?;
            keeper.wait()?;
            break;
        }
        std::thread::sleep(POLL);
    }
    // A program that still writes into the home can make the removal fail.
    let mut removed = std::fs::remove_dir_all(home.state());
    for _ in 0..TRIES {
        if removed.is_ok() {
            break;
        }
        std::thread::sleep(POLL);
        removed = std::fs::remove_dir_all(home.state());
    }
    Ok(removed?)
}
