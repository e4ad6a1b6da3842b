//! Finds, creates and destroys sessions. No code outside assumes that a session is local.

mod access;
mod create;
mod destroy;
pub(crate) mod environment;
mod front;
pub(crate) mod id;
mod janitor;
mod live;
pub(crate) mod meta;
pub(crate) mod panel;
mod recordings;
mod retention;
mod serve;
mod sessions;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_pty::{Entry, Event, Link, Pty, tree};
use regex::Regex;
use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};

use self::sessions::{Sessions, number_of};
use crate::durable::checkpoint::slot;
use crate::durable::journal::{InputQueue, LiveJournal};
use crate::error::{broken, destroyed};
use crate::handle::Info;
use crate::request::Request;
use crate::shell::{Hook, Integration};
use crate::task::{Opened, Task};
use crate::{Actor, Meta, Policy, RecordingLimits, Session, SessionError, pattern};

pub use access::{Present, Purpose};
pub use create::Create;
pub(crate) use create::check_size;
pub use destroy::Destroyed;
use front::Front;
use live::Live;
pub use recordings::Purge;
use recordings::Recorder;
pub use retention::Retention;
use serve::Start;

/// The keeper's key for the state of the hub itself.
const KEY: &[u8] = b"hub";
/// How many destroyed sessions are remembered, so that a call that names one gets "destroyed" instead of "not found".
const REMEMBERED: usize = 256;

/// The settings of a hub.
#[derive(Debug, Clone)]
pub struct HubOptions {
    /// The directory for fifos and the shell integration's files. Only the user may read it.
    pub runtime_dir: PathBuf,
    /// The file with the history of agents' commands.
    pub history_file: PathBuf,
    /// The directory of recordings, with a folder for each session.
    pub recordings_dir: PathBuf,
    /// The directory with a file for each live session.
    pub live_dir: PathBuf,
    /// The directory of captures for which the call names none.
    pub captures_dir: PathBuf,
    /// How much of recordings is kept.
    pub recording: RecordingLimits,
    /// How many live sessions an owner may have.
    pub max_per_owner: usize,
    /// How many live sessions there may be in total.
    pub max_total: usize,
    /// The defaults for a new terminal.
    pub terminal: TerminalOptions,
    /// Whether sessions are recorded by default.
    pub record: bool,
    /// When unused sessions are removed.
    pub retention: Retention,
    /// Whether agents may type when a program asks for a secret.
    pub agents_answer_secrets: bool,
    /// The soft limit of open files that children get.
    pub open_files: Option<u64>,
}

/// The defaults for a new terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// The program to start if the call names none. `None`: the shell of the calling process.
    pub shell: Option<String>,
    /// The value of `TERM` for programs.
    pub term: String,
    /// How many lines of history a session keeps.
    pub history_lines: usize,
    /// A pattern that matches a prompt, for shells that do not mark it.
    pub prompt_pattern: String,
    /// Variables that programs get although their names look like secrets. A trailing `*` matches any rest of a name.
    pub pass_env: Vec<String>,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        TerminalOptions {
            rows: 24,
            cols: 80,
            shell: None,
            term: "xterm-256color".to_owned(),
            history_lines: 10_000,
            prompt_pattern: r"\$\s*$|#\s*$|>\s*$".to_owned(),
            pass_env: Vec::new(),
        }
    }
}

/// All sessions of this daemon. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: HubOptions,
    link: Link,
    /// The keeper's process id, and whether it starts a subreaper for each session that we can see.
    keeper: u32,
    has_subreapers: bool,
    integration: Integration,
    /// Whether the integration's files are there.
    installed: AtomicBool,
    policy: Arc<Policy>,
    recorder: Recorder,
    live: Live,
    prompt_pattern: Arc<Regex>,
    state: Mutex<State>,
    /// Held while the hub's state is sent to the keeper, so that an older state never replaces a newer one.
    saving: tokio::sync::Mutex<()>,
    /// Held while a session is created.
    making: tokio::sync::Mutex<()>,
    /// Takes a session's number and after how long to check whether to remove it.
    janitor: mpsc::UnboundedSender<(u32, Duration)>,
    /// Bounds how many sessions take descriptors from the keeper at a time: the keeper makes duplicates, and its limit of
    /// open files may leave room for only a few. Sessions that a request waits for have permits of their own.
    taking: tokio::sync::Semaphore,
    taking_asked: tokio::sync::Semaphore,
    /// Held by the one session that is being rebuilt although no request waits for it.
    turn: tokio::sync::Semaphore,
    /// How many descriptors the daemon or the keeper may have open.
    open_files: u64,
}

#[derive(Debug, Default)]
struct State {
    sessions: Sessions,
    next_number: u32,
    gone: VecDeque<Gone>,
    /// Exits of sessions that are still being created.
    early_exits: HashMap<Vec<u8>, i32>,
    front: Front,
    /// The `front` that the keeper has.
    kept: Front,
    /// How many clients of each owner are connected.
    present: HashMap<String, usize>,
    closing: bool,
    /// How many daemons served these sessions before this one.
    daemons_before: u64,
}

/// A session that was destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Gone {
    id: String,
    number: u32,
    name: Option<String>,
    /// The request that destroyed it, and its answer.
    #[serde(rename = "request")]
    retry_id: String,
    exit_code: Option<i32>,
}

/// The hub's state that the keeper holds.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct HubBlob {
    next_number: u32,
    gone: VecDeque<Gone>,
    /// How many daemons there have been, with the one that wrote this.
    daemons: u64,
    front: Front,
}

impl State {
    /// Removes a session.
    fn remove(&mut self, number: u32) {
        self.sessions.remove(number);
        self.front.remove(number);
    }

    fn blob(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&HubBlob {
            next_number: self.next_number,
            gone: self.gone.clone(),
            daemons: self.daemons_before + 1,
            front: self.front.clone(),
        })
    }
}

impl Hub {
    /// Starts a hub that adopts every session that the keeper holds.
    pub async fn start(options: HubOptions, link: Link) -> Result<Hub, SessionError> {
        let (janitor, checks) = mpsc::unbounded_channel();
        let (_epoch, keeper) = link.hello().await?;
        let inner = Inner {
            keeper,
            has_subreapers: link.has_subreapers().await? && tree::is_visible(keeper),
            integration: Integration::at(options.runtime_dir.join("shell")),
            installed: AtomicBool::new(false),
            policy: Arc::new(Policy::built_in()?),
            recorder: Recorder::start(&options)?,
            live: Live::at(options.live_dir.clone()),
            prompt_pattern: Arc::new(pattern(&options.terminal.prompt_pattern)?),
            state: Mutex::new(State { next_number: 1, ..State::default() }),
            saving: tokio::sync::Mutex::new(()),
            making: tokio::sync::Mutex::new(()),
            janitor,
            taking: tokio::sync::Semaphore::new(3),
            taking_asked: tokio::sync::Semaphore::new(3),
            turn: tokio::sync::Semaphore::new(1),
            open_files: getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
            options,
            link,
        };
        let hub = Hub { inner: Arc::new(inner) };
        // The disk may be full or read-only. The sessions go on, and `create` tries again.
        if let Err(error) = hub.install() {
            tracing::error!(%error, "cannot write the files that shells read at their start");
        }
        tokio::spawn(janitor::serve(Arc::downgrade(&hub.inner), checks));
        hub.adopt_all().await?;
        hub.inner.recorder.tidy();
        Ok(hub)
    }

    /// Makes the files and directories that shells need, unless they are there.
    fn install(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(self.inner.options.runtime_dir.join("hooks"))?;
        let installed = self.inner.integration.install();
        self.inner.installed.store(installed.is_ok(), Ordering::Relaxed);
        installed
    }

    /// Makes again what vanished from the runtime directory: the files of the shell integration, and the FIFOs of sessions.
    pub async fn restore(&self) -> Result<(), SessionError> {
        let hub = self.clone();
        blocking(move || Ok(hub.install()?)).await?;
        let ids: Vec<String> =
            self.state().sessions.iter().map(|session| session.meta().id.clone()).collect();
        self.restore_hooks(ids.iter()).await
    }

    /// Makes the FIFOs of these sessions again, if they are missing. Other names are ignored.
    pub async fn restore_hooks(&self, ids: impl Iterator<Item = &String>) -> Result<(), SessionError> {
        let mut restored = Ok(());
        for id in ids {
            let Some(session) = self.state().sessions.by_id(id).cloned() else { continue };
            if session.meta().nonce.is_none() || Hook::is_at(&self.hook_path(id)) {
                continue;
            }
            match self.open_hook(session.meta()).await {
                // A session that hangs must not keep the others waiting.
                Ok(hook) => drop(tokio::spawn(async move { session.tell(Request::Hook { hook }).await })),
                Err(error) => restored = Err(error),
            }
        }
        restored
    }

    async fn adopt_all(&self) -> Result<(), SessionError> {
        let entries = self.inner.link.list().await?;
        let blob = entries.iter().find(|e| e.key == KEY).map(|e| serde_json::from_slice::<HubBlob>(&e.blob));
        match blob {
            Some(Ok(blob)) => {
                let mut state = self.state();
                state.next_number = blob.next_number.max(1);
                state.gone = blob.gone;
                state.daemons_before = blob.daemons;
                state.front = blob.front;
            }
            Some(Err(error)) => {
                tracing::error!(%error, "cannot read the daemon's own state; destroyed and active sessions are forgotten")
            }
            None => {}
        }
        let gone: Vec<String> = self.state().gone.iter().map(|g| g.id.clone()).collect();
        let (gone, held): (Vec<Entry>, Vec<Entry>) = entries
            .into_iter()
            .filter(|e| e.key.starts_with(b"sess_"))
            .partition(|e| gone.iter().any(|id| id.as_bytes() == e.key));
        for entry in gone {
            let _ = self.inner.link.forget(&entry.key).await;
        }
        let described = held.into_iter().map(|entry| (Meta::read(&entry), entry));
        let (whole, damaged): (Vec<_>, Vec<_>) = described.partition(|(meta, _)| meta.damage.is_none());
        for (meta, entry) in whole {
            self.register(Arc::new(meta), Start::Adopt(entry));
        }
        for (mut meta, entry) in damaged {
            if let Some(copy) = self.copied(&meta).await {
                meta = copy;
            }
            // After all undamaged sessions, whose numbers are known by now.
            if meta.number == 0 || self.state().sessions.get(meta.number).is_some() {
                meta.number = self.state().next_number;
            }
            match &meta.damage {
                Some(damage) => {
                    tracing::error!(session = meta.id, damage, "the session's metadata is damaged")
                }
                None => tracing::warn!(session = meta.id, "restored the session's metadata from a copy"),
            }
            // Metadata that is still damaged is stored by `adopt`, after the loss is in a checkpoint.
            if let (None, Ok(blob)) = (&meta.damage, serde_json::to_vec(&meta)) {
                let _ = self.inner.link.blob(&entry.key, &blob).await;
            }
            self.register(Arc::new(meta), Start::Adopt(entry));
        }
        self.save().await;
        Ok(())
    }

    /// The copy of damaged metadata that a session's journal has.
    async fn copied(&self, meta: &Meta) -> Option<Meta> {
        let slots = self.inner.link.take(meta.id.as_bytes()).await.ok()?;
        slots.get(&slot::JOURNAL).and_then(|journal| meta.copy_in(journal))
    }

    /// Stores the hub's state with the keeper.
    async fn save(&self) {
        let _saving = self.inner.saving.lock().await;
        if let Err(error) = self.put_blob().await {
            tracing::warn!(%error, "the keeper did not store the daemon's own state");
        }
    }

    /// Stores the active sessions with the keeper, unless it has them already.
    async fn keep_front(&self) -> Result<(), SessionError> {
        let _saving = self.inner.saving.lock().await;
        let is_kept = {
            let state = self.state();
            state.kept == state.front
        };
        if is_kept { Ok(()) } else { self.put_blob().await }
    }

    /// The caller holds `saving`.
    async fn put_blob(&self) -> Result<(), SessionError> {
        let (blob, front) = {
            let state = self.state();
            (state.blob().map_err(std::io::Error::other)?, state.front.clone())
        };
        self.inner.link.blob(KEY, &blob).await?;
        self.state().kept = front;
        Ok(())
    }

    /// A task made of the parts of a session, with an engine that has processed no output.
    fn task(
        &self,
        meta: Arc<Meta>,
        pid: u32,
        pty: Pty,
        journal: LiveJournal,
        input: InputQueue,
        hook: Option<Hook>,
    ) -> Result<Task, SessionError> {
        // The pattern was checked when the session was created.
        let given = meta.prompt_pattern.as_deref().or(meta.usual_prompt.as_deref());
        let prompt_pattern = given.and_then(|given| pattern(given).ok()).map(Arc::new);
        let options = &self.inner.options;
        Task::new(Opened {
            queue: self.inner.recorder.queue(&meta),
            writer: self.inner.recorder.writer.clone(),
            history_lines: meta.history_lines.unwrap_or(options.terminal.history_lines),
            meta,
            pid,
            link: self.inner.link.clone(),
            pty,
            journal,
            input,
            hook,
            policy: Arc::clone(&self.inner.policy),
            prompt_pattern: prompt_pattern.unwrap_or_else(|| Arc::clone(&self.inner.prompt_pattern)),
            agents_answer_secrets: options.agents_answer_secrets,
        })
    }

    /// The hook of a shell with our integration.
    async fn open_hook(&self, meta: &Meta) -> Result<Option<Hook>, SessionError> {
        if meta.nonce.is_none() {
            return Ok(None);
        }
        let path = self.hook_path(&meta.id);
        Ok(Some(blocking(move || Ok(Hook::open(&path)?)).await?))
    }

    fn hook_path(&self, id: &str) -> PathBuf {
        self.inner.options.runtime_dir.join("hooks").join(id)
    }

    /// Adds the session to the list and starts its task.
    fn register(&self, meta: Arc<Meta>, start: Start) -> Session {
        let (requests, inbox) = mpsc::channel(64);
        let (number, key) = (meta.number, meta.id.clone().into_bytes());
        let session = Session::new(Arc::clone(&meta), requests.clone());
        let pid = match &start {
            Start::Made(task) => task.pid(),
            Start::Adopt(entry) => entry.pid.unwrap_or(0),
        };
        let exited = matches!(&start, Start::Adopt(entry) if entry.status.is_some());
        // The program of an exited session does not lead to its subreaper any more; `destroy` looks for it then.
        let runs = Some(pid).filter(|_| pid > 0 && !exited);
        let subreaper = runs.and_then(|pid| tree::subreaper(self.inner.keeper, &meta.id, Some(pid)));
        let mut state = self.state();
        state.next_number = state.next_number.max(number + 1);
        let early = state.early_exits.remove(&key);
        if let Some(status) = early {
            let _ = requests.try_send(Request::Exited { status });
        }
        state.sessions.insert(session.clone(), pid, subreaper);
        if exited || early.is_some() {
            state.sessions.exit(number);
            self.inner.live.end(&session.meta().id);
        }
        drop(state);
        let _ = self.inner.janitor.send((number, self.inner.options.retention.soonest()));
        tokio::spawn(self.clone().serve(meta, start, inbox));
        session
    }

    /// Handles an event of the keeper.
    pub async fn handle_keeper_event(&self, event: &Event) {
        let Event::Exited { key, status } = event else { return };
        let session = {
            let mut state = self.state();
            let known = std::str::from_utf8(key).ok().and_then(|id| state.sessions.by_id(id)).cloned();
            match &known {
                Some(session) => {
                    state.sessions.exit(session.meta().number);
                    self.inner.live.end(&session.meta().id);
                }
                None => {
                    state.early_exits.insert(key.clone(), *status);
                }
            }
            known
        };
        if let Some(session) = session {
            let _ = session.tell(Request::Exited { status: *status }).await;
            let _ = self.inner.janitor.send((session.meta().number, Duration::ZERO));
        }
    }

    /// The session by its id, number, window (`win_3`) or name.
    pub fn find(&self, reference: &str) -> Result<Session, SessionError> {
        let state = self.state();
        if let Some(session) = state.sessions.find(reference) {
            return Ok(session.clone());
        }
        let number = number_of(reference);
        let gone = state.gone.iter().any(|gone| {
            gone.id == reference || Some(gone.number) == number || gone.name.as_deref() == Some(reference)
        });
        Err(match gone {
            true => destroyed(reference.to_owned()),
            false => {
                SessionError::from(ApiError::SessionNotFound { session: reference.to_owned(), near: None })
            }
        })
    }

    /// All sessions, oldest first.
    pub async fn list(&self) -> Vec<Info> {
        let sessions: Vec<Session> = self.state().sessions.iter().cloned().collect();
        // Ask all sessions before waiting for any, so that they answer at the same time.
        let answers: Vec<_> =
            sessions.into_iter().map(|session| tokio::spawn(async move { session.info().await })).collect();
        let mut infos = Vec::with_capacity(answers.len());
        for info in answers {
            infos.extend(info.await.into_iter().flatten());
        }
        infos
    }

    /// When a session was last added or removed, and a notification of each later change.
    pub fn changes(&self) -> watch::Receiver<Option<Instant>> {
        self.state().sessions.changes()
    }

    /// The ids of the sessions that the actor may have, oldest first.
    pub fn ids_for(&self, actor: &Actor) -> Vec<String> {
        let state = self.state();
        let own = state.sessions.iter().map(Session::meta);
        own.filter(|meta| actor.may_access(&meta.id, &meta.actor.owner)).map(|meta| meta.id.clone()).collect()
    }

    /// How many sessions were created in this home since its keeper started, with those that failed to start.
    pub fn made(&self) -> u32 {
        self.state().next_number - 1
    }

    /// How many daemons served these sessions before this one.
    pub fn daemons_before(&self) -> u64 {
        self.state().daemons_before
    }

    /// How many sessions are live, and how many have exited and can still be read.
    pub fn count(&self) -> (usize, usize) {
        self.state().sessions.count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing can panic in the middle of a change while the lock is held.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a job that may wait for the disk on a thread for blocking work.
async fn blocking<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, SessionError> + Send + 'static,
) -> Result<T, SessionError> {
    let done = tokio::task::spawn_blocking(job).await;
    done.unwrap_or_else(|error| Err(broken(error.to_string())))
}

#[cfg(test)]
mod tests;
