use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_pty::tree::{self, Member, Root};
use rustix::process::Signal;

use super::{Gone, Hub, REMEMBERED, blocking};
use crate::error::{broken, destroyed};
use crate::handle::Info;
use crate::request::Request;
use crate::{Session, SessionError, Wait};

/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long the processes that it left behind may take to end.
const REST_GRACE: Duration = Duration::from_millis(200);
/// How long the kernel may take to end killed processes.
const KILLED: Duration = Duration::from_secs(2);

/// How long the disk may take to write the rest of a recording.
const FLUSHED: Duration = Duration::from_secs(2);

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destroyed {
    /// The program's exit code; `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// Processes that still run: the kernel has not ended them yet, or only their environment names the session.
    pub left_running: Vec<String>,
}

impl Hub {
    /// Ends a session and everything it started. A repeated `retry_id` returns the same answer.
    pub async fn destroy(
        &self,
        reference: &str,
        force: bool,
        retry_id: &str,
    ) -> Result<Destroyed, SessionError> {
        let session = match self.find(reference) {
            Err(SessionError::Refused(ApiError::SessionDestroyed { session: reference })) => {
                let known = self.state().gone.iter().find(|g| g.retry_id == retry_id).cloned();
                let gone = known.ok_or(destroyed(reference))?;
                return Ok(Destroyed { exit_code: gone.exit_code, left_running: Vec::new() });
            }
            found => found?,
        };
        let ended = self.end(std::slice::from_ref(&session), force, retry_id).await;
        ended.into_iter().next().unwrap_or(Err(destroyed(reference.to_owned())))
    }

    /// Ends sessions and everything they started, all at the same time.
    async fn end(
        &self,
        sessions: &[Session],
        force: bool,
        retry_id: &str,
    ) -> Vec<Result<Destroyed, SessionError>> {
        let infos = each(sessions, |session: Session| async move { session.info().await }).await;
        let roots: Vec<Root> = sessions
            .iter()
            .zip(&infos)
            .map(|(session, info)| self.root(session, info.as_ref().ok()))
            .collect();
        let members = || tree::members(self.inner.keeper, &roots);
        let all_exit = async |limit| {
            let exits =
                each(sessions, move |session: Session| async move { wait_for_exit(&session, limit).await })
                    .await;
            exits.into_iter().all(|exited| exited.unwrap_or(true))
        };
        if force {
            tree::signal(members().iter().flatten(), Signal::KILL);
        } else {
            ask_to_end(&members());
        }
        if all_exit(GRACE).await {
            rest_ends(&members, REST_GRACE).await;
        }
        tree::signal(members().iter().flatten(), Signal::KILL);
        all_exit(KILLED).await;
        // Again and again: a process may have started another one meanwhile.
        let killed = || members().into_iter().inspect(|tree| tree::signal(tree, Signal::KILL)).collect();
        rest_ends(&killed, KILLED).await;
        let mut results = Vec::with_capacity(sessions.len());
        for (session, left) in sessions.iter().zip(members()) {
            let info = match session.info().await {
                Ok(info) => info,
                Err(error) => {
                    results.push(Err(error));
                    continue;
                }
            };
            let exit_code = info.ended.and_then(|e| e.exit_code);
            let left_running = left.iter().map(|m| format!("{} ({})", m.name, m.pid)).collect();
            self.remove(session, retry_id, exit_code).await;
            results.push(Ok(Destroyed { exit_code, left_running }));
        }
        results
    }

    /// Where the processes of a session begin.
    fn root(&self, session: &Session, info: Option<&Info>) -> Root {
        let key = session.meta().id.clone();
        if !self.inner.has_subreapers {
            // Unknown if the session does not answer.
            return Root::Program { key, pid: info.map_or(0, |info| info.pid) };
        }
        let known = self.state().sessions.subreaper_of(session.meta().number);
        Root::Subreaper { pid: known.or_else(|| tree::subreaper(self.inner.keeper, &key, None)), key }
    }

    /// Removes a session: notes that it was destroyed, then drops the keeper's entry.
    pub(super) async fn remove(&self, session: &Session, retry_id: &str, exit_code: Option<i32>) {
        let meta = session.meta();
        // First write to disk what the keeper is about to drop.
        let _ = tokio::time::timeout(FLUSHED, session.flush()).await;
        self.inner.recorder.is_over(&meta.id);
        self.inner.live.end(&meta.id);
        {
            let mut state = self.state();
            state.remove(meta.number);
            if state.gone.len() == REMEMBERED {
                state.gone.pop_front();
            }
            state.gone.push_back(Gone {
                id: meta.id.clone(),
                number: meta.number,
                name: meta.name.clone(),
                retry_id: retry_id.to_owned(),
                exit_code,
            });
        }
        self.save().await;
        if let Err(error) = self.inner.link.forget(meta.id.as_bytes()).await {
            tracing::warn!(%error, session = meta.id, "the keeper did not drop the session");
        }
        let _ = session.tell(Request::Close).await;
        // Wait until its terminal is free again: a caller may need it for the next session.
        let _ = tokio::time::timeout(FLUSHED, session.is_gone()).await;
    }

    /// Ends all sessions and refuses new ones.
    pub async fn shutdown(&self) {
        let sessions: Vec<Session> = {
            let mut state = self.state();
            state.closing = true;
            state.sessions.iter().cloned().collect()
        };
        self.end(&sessions, false, "shutdown").await;
        // The tasks of the sessions may not have had the time to remove their hooks.
        let dirs = [self.inner.options.runtime_dir.join("hooks"), self.inner.options.live_dir.clone()];
        let emptied = blocking(move || {
            for file in dirs.iter().flat_map(std::fs::read_dir).flatten().flatten() {
                let _ = std::fs::remove_file(file.path());
            }
            Ok(())
        });
        let _ = emptied.await;
    }
}

/// Does the same with all sessions at the same time.
async fn each<T: Send + 'static, F: Future<Output = Result<T, SessionError>> + Send + 'static>(
    sessions: &[Session],
    what: impl Fn(Session) -> F,
) -> Vec<Result<T, SessionError>> {
    let tasks: Vec<_> = sessions.iter().map(|session| tokio::spawn(what(session.clone()))).collect();
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.await.unwrap_or_else(|error| Err(broken(error.to_string()))));
    }
    results
}

/// Sends the signals of a closed terminal: an interactive bash ignores TERM, and a stopped job needs CONT to handle them.
fn ask_to_end(trees: &[Vec<Member>]) {
    for signal in [Signal::HUP, Signal::CONT, Signal::TERM] {
        tree::signal(trees.iter().flatten(), signal);
    }
}

/// Polls until the processes that the program left behind have ended: the daemon is not notified, as it is not their parent.
async fn rest_ends(members: &impl Fn() -> Vec<Vec<Member>>, limit: Duration) {
    let until = tokio::time::Instant::now() + limit;
    while tokio::time::Instant::now() < until && members().iter().flatten().any(|member| !member.unproved) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn wait_for_exit(session: &Session, limit: Duration) -> Result<bool, SessionError> {
    let timeout_ms = u64::try_from(limit.as_millis()).ok();
    let waited = session.wait(Wait { exit: true, timeout_ms, ..Wait::default() }).await?;
    Ok(waited.info.ended.is_some())
}
