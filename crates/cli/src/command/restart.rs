use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use cotty_client::{Client, ClientError, keeper_pid};
use cotty_protocol::op::status::{Formats, Readable};
use cotty_protocol::op::{Operation, SessionInfo, list, restart, status};
use rustix::process::{Pid, Signal};
use tokio::process::Command;

use super::{block_on, client, manage};
use crate::out;

const LIMIT: Duration = Duration::from_secs(10);
/// How long the running daemon may take to answer: it might hang.
const STATUS_LIMIT: Duration = Duration::from_secs(1);

/// Replace the daemon and keep every session, after an upgrade or when the daemon does not answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cotty restart")]
pub(crate) struct Args {
    /// Replace the daemon even if the new one cannot read the history of some sessions; their programs keep running
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?.without_start();
    let keeper = keeper_pid(client.home()).ok_or(ClientError::NotRunning)?;
    let pid = i32::try_from(keeper).ok().and_then(Pid::from_raw).context("the keeper's process id")?;
    block_on(async {
        // A daemon that hangs does not report its process id; then any daemon that answers is a new one.
        let before = ask::<status::Params>(&client, STATUS_LIMIT).await;
        let listed = match &before {
            Some(_) => ask::<list::Params>(&client, LIMIT).await,
            None => None,
        };
        let program = std::env::current_exe()?;
        let next = formats_of(&program).await?;
        if let Some(before) = before.as_ref().filter(|_| !args.force) {
            refuse_losses(before.formats, next, listed.as_ref())?;
        }
        let sessions = listed.map(|list| list.sessions).unwrap_or_default();
        let params = restart::Params {
            pid: before.as_ref().map(|before| before.pid),
            program: Some(program.to_string_lossy().into_owned()),
        };
        let asked = manage::ask(&client, &params).await?;
        if asked.is_none() {
            rustix::process::kill_process(pid, Signal::USR1)?;
        }
        let old = asked.as_ref().map(|asked| asked.pid).or(before.map(|before| before.pid));
        let after = replaced(&client, old).await?;
        // Otherwise the failure is an earlier one, which this restart ended.
        let uses_program = asked.as_ref().is_some_and(|asked| asked.uses_program);
        if let Some(failure) = after.last_failure.filter(|_| uses_program) {
            anyhow::bail!("the new daemon did not start, and the previous program runs again: {failure}");
        }
        if !uses_program {
            note_other_program(keeper, &program);
        }
        report(&sessions, ask::<list::Params>(&client, LIMIT).await);
        Ok(ExitCode::SUCCESS)
    })
}

/// The status of the next daemon.
async fn replaced(client: &Client, before: Option<u32>) -> anyhow::Result<status::Reply> {
    let started = Instant::now();
    while started.elapsed() < LIMIT {
        let now = ask::<status::Params>(client, LIMIT).await;
        if let Some(now) = now.filter(|now| before != Some(now.pid)) {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("the daemon was not replaced within {} s", LIMIT.as_secs())
}

/// Says so if the keeper, which is of an earlier version, started another program than this one.
fn note_other_program(keeper: u32, own: &Path) {
    let Ok(path) = std::fs::read_link(format!("/proc/{keeper}/exe")) else { return };
    let path = path.to_string_lossy();
    let path = Path::new(path.strip_suffix(" (deleted)").unwrap_or(&path));
    if path != own {
        out::note(&format!(
            "the new daemon is the program at {}: this keeper starts no other. `cotty stop` ends it and all sessions",
            path.display()
        ));
    }
}

async fn ask<O: Operation + Default>(client: &Client, limit: Duration) -> Option<O::Reply> {
    tokio::time::timeout(limit, client.call(&O::default())).await.ok()?.ok()
}

/// The formats of the next daemon; `None` if it is too old to report them.
async fn formats_of(program: &Path) -> anyhow::Result<Option<Formats>> {
    let output = tokio::time::timeout(LIMIT, Command::new(program).arg("__formats").output()).await;
    let failed = || format!("{} cannot be started; nothing was changed", program.display());
    let output = output.with_context(failed)?.with_context(failed)?;
    Ok(serde_json::from_slice(&output.stdout).ok())
}

/// Refuses to replace a daemon if the next one could not read the history of its sessions.
fn refuse_losses(
    theirs: Option<Formats>,
    next: Option<Formats>,
    listed: Option<&list::Reply>,
) -> anyhow::Result<()> {
    const ANYWAY: &str =
        "Nothing was changed. `cotty restart --force` replaces the daemon anyway; programs keep running";
    let readable = match (next, theirs) {
        (Some(next), Some(theirs)) => next.reads(&theirs),
        // One of them does not report its formats: the versions differ.
        _ => Readable::Nothing,
    };
    if readable == Readable::All {
        return Ok(());
    }
    let Some(listed) = listed else {
        anyhow::bail!(
            "the new daemon has another version, and the running daemon does not report which sessions would lose history. {ANYWAY}"
        );
    };
    let loses = |info: &&SessionInfo| readable == Readable::Nothing || info.checkpointed;
    let losing: Vec<String> = listed.sessions.iter().filter(loses).map(name).collect();
    anyhow::ensure!(
        losing.is_empty(),
        "the new daemon has another version and cannot read the history of these sessions: {}. {ANYWAY}",
        losing.join(", ")
    );
    Ok(())
}

fn name(info: &SessionInfo) -> String {
    info.name.clone().unwrap_or_else(|| info.session_id.clone())
}

/// Reports what happened to the sessions.
fn report(before: &[SessionInfo], now: Option<list::Reply>) {
    let Some(now) = now else {
        return out::note("the daemon was replaced; the new one is still adopting the sessions");
    };
    let live = now.sessions.iter().filter(|info| !info.exited).count();
    out::note(&format!("the daemon was replaced; {live} {} on", plural(live, "session goes", "sessions go")));
    let newly_lost = |info: &&SessionInfo| {
        let known = before.iter().find(|known| known.session_id == info.session_id);
        known.is_none_or(|known| known.history_lost != info.history_lost)
    };
    for info in now.sessions.iter().filter(newly_lost) {
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
