//! A daemon that ends with its client: `cotty mcp --ephemeral`.
//!
//! The client holds one end of a pipe and never writes to it. The guard, a process that nobody is the parent of, has the
//! other end: however the client ends, also by SIGKILL, the kernel closes it. The guard then ends its keeper, which ends
//! every session, and takes the home away.

use std::io::{PipeReader, PipeWriter};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::{ClientError, Home};

/// How long a keeper may take to end its sessions: longer than each of them is given.
const GRACE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);
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

    /// Makes a launcher start a guard that holds this, for a home that no other variable leads to.
    pub(crate) fn hold(&self, launcher: &mut Command, home: &Home) -> Result<(), ClientError> {
        launcher.arg("--guarded").stdin(self.guards.try_clone()?).env("COTTY_HOME", home.state());
        // Nobody looks for its page at the usual place.
        launcher.env("COTTY_HTTP_LISTEN", "127.0.0.1:0");
        Ok(())
    }
}

/// `cotty __guard`: starts the keeper, which says on our stdout when it is ready, and ends it when stdin ends.
pub fn guard(home: &Home) -> Result<(), ClientError> {
    std::env::set_current_dir("/")?;
    let mut keeper = Command::new(std::env::current_exe()?)
        .args(["__keeper", "--guarded"])
        .stdin(Stdio::null())
        .spawn()?;
    // Whoever waits for the keeper's word has to see if it never comes.
    let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(nowhere).map_err(std::io::Error::from)?;
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    // Not waited for yet, so the number is still its own, even where somebody stopped it long ago.
    let _ = rustix::process::kill_process(Pid::from_child(&keeper), Signal::TERM);
    let until = Instant::now() + GRACE;
    while keeper.try_wait()?.is_none() {
        if Instant::now() >= until {
            // Stopped, or it hangs. Its terminals hang up with it.
            keeper.kill()?;
            keeper.wait()?;
            break;
        }
        std::thread::sleep(LOOK);
    }
    // What a program of it still writes may come in between.
    let mut removed = std::fs::remove_dir_all(home.state());
    for _ in 0..TRIES {
        if removed.is_ok() {
            break;
        }
        std::thread::sleep(LOOK);
        removed = std::fs::remove_dir_all(home.state());
    }
    Ok(removed?)
}
