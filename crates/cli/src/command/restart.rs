use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use cotty_client::{ClientError, keeper_pid};
use cotty_protocol::op::status;
use rustix::process::{Pid, Signal};

use super::{block_on, client};
use crate::out;

const LIMIT: Duration = Duration::from_secs(10);

/// Replace the daemon and keep every session: after an upgrade, or when it does not answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty restart")]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let keeper = keeper_pid(client.home()).ok_or(ClientError::NotRunning)?;
    let pid = i32::try_from(keeper).ok().and_then(Pid::from_raw).context("the keeper's process id")?;
    block_on(async {
        // A daemon that hangs does not say who it is; then any that answers is a new one.
        let nothing = status::Params {};
        let asked = tokio::time::timeout(Duration::from_secs(1), client.call("status", &nothing));
        let before: Option<status::Reply> = asked.await.ok().and_then(Result::ok);
        rustix::process::kill_process(pid, Signal::USR1)?;
        let started = Instant::now();
        while started.elapsed() < LIMIT {
            let asked = tokio::time::timeout(LIMIT, client.call("status", &nothing));
            if let Ok(Ok(now)) = asked.await {
                let now: status::Reply = now;
                if before.as_ref().is_none_or(|before| before.pid != now.pid) {
                    out::note(&format!("the daemon was replaced; {} sessions go on", now.live));
                    return Ok(ExitCode::SUCCESS);
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("the daemon was not replaced in {} s", LIMIT.as_secs())
    })
}
