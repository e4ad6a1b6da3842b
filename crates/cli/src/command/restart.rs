use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use cotty_client::{Client, ClientError, keeper_pid};
use cotty_protocol::op::status::{Formats, Readable};
use cotty_protocol::op::{Operation, SessionInfo, list, status};
use rustix::process::{Pid, Signal};
use tokio::process::Command;

use super::{block_on, client};
use crate::out;

const LIMIT: Duration = Duration::from_secs(10);
/// How long a daemon that may hang is asked before it is replaced.
const ASKED: Duration = Duration::from_secs(1);

/// Replace the daemon and keep every session: after an upgrade, or when it does not answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty restart")]
pub(crate) struct Args {
    /// Replace the daemon even if the new one cannot read the history of some sessions; their programs go on
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let keeper = keeper_pid(client.home()).ok_or(ClientError::NotRunning)?;
    let pid = i32::try_from(keeper).ok().and_then(Pid::from_raw).context("the keeper's process id")?;
    block_on(async {
        // A daemon that hangs does not say who it is; then any that answers is a new one.
        let before = ask::<status::Params>(&client, ASKED).await;
        let listed = match &before {
            Some(_) => ask::<list::Params>(&client, LIMIT).await,
            None => None,
        };
        let next = formats_of(&next_daemon(keeper)?).await?;
        if let Some(before) = before.as_ref().filter(|_| !args.force) {
            refuse_losses(before.formats, next, listed.as_ref())?;
        }
        let sessions = listed.map(|list| list.sessions).unwrap_or_default();
        rustix::process::kill_process(pid, Signal::USR1)?;
        let started = Instant::now();
        while started.elapsed() < LIMIT {
            let now = ask::<status::Params>(&client, LIMIT).await;
            if now.is_some_and(|now| before.as_ref().is_none_or(|before| before.pid != now.pid)) {
                report(&sessions, ask::<list::Params>(&client, LIMIT).await);
                return Ok(ExitCode::SUCCESS);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("the daemon was not replaced in {} s", LIMIT.as_secs())
    })
}

async fn ask<O: Operation + Default>(client: &Client, limit: Duration) -> Option<O::Reply> {
    tokio::time::timeout(limit, client.call(&O::default())).await.ok()?.ok()
}

/// The program that the keeper will start: at its own path, where an upgrade has put a new one.
fn next_daemon(keeper: u32) -> anyhow::Result<PathBuf> {
    let Ok(path) = std::fs::read_link(format!("/proc/{keeper}/exe")) else {
        return Ok(std::env::current_exe()?);
    };
    let path = path.to_string_lossy();
    let path = PathBuf::from(path.strip_suffix(" (deleted)").unwrap_or(&path));
    anyhow::ensure!(
        path.exists(),
        "there is no program at {} any more, from where the daemon is started: nothing was changed. Install cotty there \
         again, then `cotty restart`",
        path.display()
    );
    Ok(path)
}

/// What the next daemon reads and writes; nothing where it is too old to say.
async fn formats_of(program: &PathBuf) -> anyhow::Result<Option<Formats>> {
    let said = tokio::time::timeout(LIMIT, Command::new(program).arg("__formats").output()).await;
    let failed = || format!("{} cannot be started; nothing was changed", program.display());
    let said = said.with_context(failed)?.with_context(failed)?;
    Ok(serde_json::from_slice(&said.stdout).ok())
}

/// Refuses to end a daemon whose sessions the next one could not read.
fn refuse_losses(
    theirs: Option<Formats>,
    next: Option<Formats>,
    listed: Option<&list::Reply>,
) -> anyhow::Result<()> {
    const ANYWAY: &str =
        "Nothing was changed. Programs would go on; `cotty restart --force` replaces the daemon all the same";
    let readable = match (next, theirs) {
        (Some(next), Some(theirs)) => next.reads(&theirs),
        // One of them does not say: they are of different versions.
        _ => Readable::Nothing,
    };
    if readable == Readable::All {
        return Ok(());
    }
    let Some(listed) = listed else {
        anyhow::bail!(
            "the new daemon is of another version, and the daemon does not say which sessions would lose history. {ANYWAY}"
        );
    };
    let loses = |info: &&SessionInfo| readable == Readable::Nothing || info.checkpointed;
    let losing: Vec<String> = listed.sessions.iter().filter(loses).map(name).collect();
    anyhow::ensure!(
        losing.is_empty(),
        "the new daemon is of another version and cannot read the history of these sessions: {}. {ANYWAY}",
        losing.join(", ")
    );
    Ok(())
}

fn name(info: &SessionInfo) -> String {
    info.name.clone().unwrap_or_else(|| info.session_id.clone())
}

/// What became of the sessions.
fn report(before: &[SessionInfo], now: Option<list::Reply>) {
    let Some(now) = now else {
        return out::note("the daemon was replaced; its sessions are still being taken over");
    };
    let live = now.sessions.iter().filter(|info| !info.exited).count();
    out::note(&format!("the daemon was replaced; {live} {} on", plural(live, "session goes", "sessions go")));
    let was_whole = |info: &&SessionInfo| {
        let known = before.iter().find(|known| known.session_id == info.session_id);
        known.is_none_or(|known| known.history_lost != info.history_lost)
    };
    for info in now.sessions.iter().filter(was_whole) {
        if let Some(lost) = &info.history_lost {
            out::note(&format!("{}: {lost}; its program goes on", name(info)));
        }
    }
    let is_there = |id: &str| now.sessions.iter().any(|info| info.session_id == id);
    for info in before.iter().filter(|info| !info.exited && !is_there(&info.session_id)) {
        out::note(&format!("{} ended meanwhile", name(info)));
    }
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
