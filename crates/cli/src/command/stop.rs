use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use cotty_client::{ClientError, keeper_pid};
use cotty_protocol::op::stop;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};

use super::{block_on, client, manage};
use crate::out;

/// Longer than the keeper waits for the daemon.
const LIMIT: Duration = Duration::from_secs(20);

/// End the daemon and all sessions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty stop")]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let home = client.home();
    let keeper = keeper_pid(home).ok_or(ClientError::NotRunning)?;
    let pid = i32::try_from(keeper).ok().and_then(Pid::from_raw).context("the keeper's process id")?;
    let process = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    if block_on(manage::ask(&client, &stop::Params {}))?.is_none() {
        rustix::process::kill_process(pid, Signal::TERM)?;
    }
    let started = Instant::now();
    // The keeper releases its lock last. Another keeper might take it at once.
    while keeper_pid(home) == Some(keeper) {
        anyhow::ensure!(
            started.elapsed() < LIMIT,
            "cotty did not stop within {} s; `kill -9 {keeper}` ends it",
            LIMIT.as_secs()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    // The kernel releases the lock a moment before the process is gone.
    let left = Timespec::try_from(LIMIT.saturating_sub(started.elapsed())).ok();
    rustix::event::poll(&mut [PollFd::new(&process, PollFlags::IN)], left.as_ref())?;
    out::note("stopped");
    Ok(ExitCode::SUCCESS)
}
