use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Duration;

use cotty_client::{Client, ClientError};
use cotty_protocol::ApiError;
use cotty_protocol::op::keyboard::Holder;
use cotty_protocol::op::{Activity, SessionInfo, Wait, info, list, wait};
use cotty_tui::{AttachEnd, AttachOptions, Chord};
use tokio::task::JoinSet;

use super::{block_on, client};
use crate::out;

/// How often to look for new sessions; known sessions are waited for.
const RELIST: Duration = Duration::from_secs(1);

/// Show a session in this terminal and type into it; Ctrl-] d detaches
///
/// The session keeps its size: a smaller window follows the cursor, a larger one shows the whole session. Ctrl-] ? lists
/// the keys: scroll and copy, take and give the keyboard, fit the session to this window.
///
/// With --next, you answer an agent's hand-off request: you get the keyboard, Ctrl-D completes the request and gives the
/// keyboard back, Ctrl-] n declines.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty attach build\n  cotty attach $(cotty new)\n  cotty attach --read-only 3\n  cotty attach --next\n  cotty attach --prefix ctrl+b build"
)]
pub(crate) struct Args {
    /// Id, number or name
    #[arg(required_unless_present = "next", conflicts_with = "next")]
    session: Option<String>,
    /// Attach to the session that has waited longest for a person (hand-off request or secret), or wait for one
    #[arg(long)]
    next: bool,
    /// Only watch
    #[arg(long)]
    read_only: bool,
    /// Hide the status line, except for messages
    #[arg(long)]
    no_status: bool,
    /// Leave the mouse to your terminal
    #[arg(long)]
    no_mouse: bool,
    /// The key that starts a command of attach, instead of Ctrl-] or the configured one
    #[arg(long, value_name = "KEY")]
    prefix: Option<Chord>,
    /// A key that detaches at once
    #[arg(long, value_name = "KEY")]
    detach_key: Option<Chord>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let terminal =
        rustix::termios::isatty(rustix::stdio::stdin()) && rustix::termios::isatty(rustix::stdio::stdout());
    anyhow::ensure!(
        terminal,
        "attach needs a terminal; use `cotty view` to print the screen, `cotty send` to type"
    );
    // Without a daemon there is no session to attach to.
    let client = client()?.without_start();
    let settings = crate::settings::of_person(client.home());
    let options = AttachOptions {
        prefix: args.prefix.or_else(|| settings.attach_prefix.parse().ok()).unwrap_or_default(),
        detach: args.detach_key.or_else(|| settings.detach_key.parse().ok()),
        read_only: args.read_only,
        status: !args.no_status,
        mouse: !args.no_mouse,
        needed: args.next,
        ..AttachOptions::default()
    };
    let (end, session) = block_on(async {
        let session = match args.session {
            Some(session) => session,
            None => next(&client).await?,
        };
        let params = info::Params { session: session.clone() };
        let found: SessionInfo = match client.call(&params).await {
            // The session belongs to another owner, but might be the one that we run in.
            Err(ClientError::Refused(error)) if own_named(error.cause.as_deref(), &session) => {
                anyhow::bail!("{OWN}")
            }
            found => found?,
        };
        refuse_own(&found)?;
        Ok((cotty_tui::attach(&client, &found.session_id, options).await?, session))
    })?;
    match end {
        AttachEnd::Detached => {
            out::note(&format!("[detached from {session}; `cotty attach {session}` attaches again]"))
        }
        AttachEnd::Answered { declined: false } => {
            out::note(&format!("[done; the agent has {session} again]"))
        }
        AttachEnd::Answered { declined: true } => {
            out::note(&format!("[declined; the agent has {session} again]"))
        }
        AttachEnd::Exited { exit_code: Some(code), .. } => {
            out::note(&format!("[{session} exited with {code}]"))
        }
        AttachEnd::Exited { signal, .. } => {
            out::note(&format!("[{session} was killed by signal {}]", signal.unwrap_or_default()));
        }
        AttachEnd::Gone => out::note(&format!("[{session} was destroyed]")),
        AttachEnd::Told(signal) => return Ok(ExitCode::from(128 + u8::try_from(signal)?)),
    }
    Ok(ExitCode::SUCCESS)
}

const OWN: &str = "this terminal is that session itself; attach from another terminal";

fn own_named(cause: Option<&ApiError>, session: &str) -> bool {
    let own = std::env::var("COTTY_SESSION").unwrap_or_default();
    let named = match cause {
        Some(ApiError::NotYours { session, .. }) => session,
        _ => session,
    };
    !own.is_empty() && (own == session || own == *named)
}

/// Refuses the session that this process runs in: it would show itself endlessly.
fn refuse_own(session: &SessionInfo) -> anyhow::Result<()> {
    let name = session.name.as_ref().unwrap_or(&session.session_id);
    let within = std::env::var("COTTY_SESSION").is_ok_and(|inside| inside == session.session_id);
    anyhow::ensure!(
        !within && !descends_from(session.pid),
        "this terminal is {name} itself; attach from another terminal{}",
        if within { " (if this is wrong, unset COTTY_SESSION)" } else { "" }
    );
    Ok(())
}

/// Whether this process is a descendant of another. `false` if /proc does not tell.
fn descends_from(ancestor: u32) -> bool {
    let mut pid = std::process::id();
    while pid > 1 {
        if pid == ancestor {
            return true;
        }
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name may contain any character; the state and the parent follow its last bracket.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        let Some(parent) = parent else { return false };
        pid = parent;
    }
    false
}

/// The session that has waited longest for a person, or the first one to need a person from now on.
async fn next(client: &Client) -> anyhow::Result<String> {
    let mut waiting = false;
    let mut asked: HashSet<String> = HashSet::new();
    let mut waits = JoinSet::new();
    loop {
        let list: list::Reply = client.call(&list::Params::default()).await?;
        let asking = list.sessions.iter().filter_map(|info| Some((waited_ms(info)?, info)));
        if let Some((_, first)) = asking.max_by_key(|(waited, _)| *waited) {
            return Ok(first.session_id.clone());
        }
        if !std::mem::replace(&mut waiting, true) {
            out::note("no session asks for a person; waiting until one does (Ctrl-C ends)");
        }
        let live = list.sessions.iter().filter(|info| !info.exited && refuse_own(info).is_ok());
        for info in live {
            if asked.insert(info.session_id.clone()) {
                let client = self::client()?.without_start();
                let id = info.session_id.clone();
                waits.spawn(async move { until_secret(&client, id).await });
            }
        }
        tokio::select! {
            // One wait per session: otherwise a secret that another person is typing would end each new wait at once.
            Some(_) = waits.join_next() => {}
            () = tokio::time::sleep(RELIST) => {}
        }
    }
}

/// How long a session has needed a person, if it does and no person has the keyboard.
fn waited_ms(info: &SessionInfo) -> Option<u64> {
    let secret = matches!(info.activity, Activity::SecretInput | Activity::SecretSuspected);
    // There is no output or input after the prompt for a secret, so idle time is waiting time.
    let waited = [info.handoff.as_ref().map(|request| request.open_ms), secret.then_some(info.idle_ms)];
    let free = info.keyboard.holder != Holder::Person && refuse_own(info).is_ok();
    waited.into_iter().flatten().max().filter(|_| free)
}

async fn until_secret(client: &Client, session: String) -> Option<wait::Reply> {
    let wait = Wait { secret: true, timeout_ms: Some(600_000), ..Wait::default() };
    client.call(&wait::Params { session, wait }).await.ok()
}
