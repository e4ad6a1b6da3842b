use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cotty_protocol::ApiError;
use cotty_protocol::text::random;
use cotty_pty::child::{self, ByteBuf, Spec, Stage};
use cotty_pty::tree::{self, Root};
use cotty_pty::{KeeperError, Pty, WindowSize};
use rustix::io::Errno;
use rustix::process::Signal;
use tokio::io::AsyncReadExt;

use super::sessions::window;
use super::{Hub, Start, TerminalOptions, blocking};
use crate::Allow;
use crate::durable::checkpoint::slot;
use crate::durable::journal::{InputQueue, LiveJournal};
use crate::error::{directory, invalid};
use crate::hub::environment::child_environment;
use crate::hub::id::session_id;
use crate::hub::meta::now_ms;
use crate::shell::words as line;
use crate::shell::{Hook, is_interactive_shell};
use crate::{Actor, ActorKind, Meta, Origin, Panel, Session, SessionError, Verdict, pattern};

/// The largest number of columns or rows.
const LARGEST: u16 = 1000;

/// How many descriptors a session takes in the keeper, and how many must stay free for everything else, such as
/// connections and checkpoints. The keeper has the same limit as the daemon.
const DESCRIPTORS: (u64, u64) = (4, 40);

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct Create {
    /// The program. `None`: the configured shell, or the shell of the calling process.
    pub program: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// A command line instead of program and arguments.
    pub command: Option<String>,
    /// The session's name.
    pub name: Option<String>,
    /// The panel that the session becomes. If a session of this panel runs already, it is the answer.
    pub panel: Option<Panel>,
    /// Columns.
    pub cols: Option<u16>,
    /// Rows.
    pub rows: Option<u16>,
    /// Variables that are added to the caller's environment.
    pub env: BTreeMap<String, String>,
    /// The working directory. `None`: the caller's.
    pub cwd: Option<String>,
    /// A pattern that matches a prompt, if the caller gave one.
    pub prompt_pattern: Option<String>,
    /// What output may do besides showing text.
    pub allow: Allow,
    /// Whether the session is recorded, if the caller said so.
    pub record: Option<bool>,
    /// The caller's terminal defaults, if they differ from the hub's.
    pub terminal: Option<TerminalOptions>,
    /// How many live sessions the caller's owner may have, if that differs from the hub's limit.
    pub max_per_owner: Option<usize>,
}

/// The beginning of a name, for error texts.
fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}

impl Hub {
    /// Starts a program in a new terminal. A repeated `retry_id` returns the same session.
    pub async fn create(
        &self,
        mut create: Create,
        actor: Actor,
        origin: &Origin,
        retry_id: &str,
    ) -> Result<Session, SessionError> {
        if let Some(line) = &create.command {
            if create.program.is_some() || !create.args.is_empty() {
                let message = "a command line cannot be given together with a program or arguments";
                return Err(invalid(message));
            }
            let (program, args) = line::parse(line)?;
            (create.program, create.args) = (Some(program), args);
        }
        check_words(&create)?;
        // One at a time: what the checks find about limits, names and retry ids must still be true at the end.
        let _making = self.inner.making.lock().await;
        if let Some(session) = self.by_retry_id(&actor.owner, retry_id) {
            self.make_active(&session).await;
            return Ok(session);
        }
        if let Some(open) = create.panel.as_ref().and_then(|panel| self.running_panel(panel)) {
            return Ok(open);
        }
        self.judge(&create)?;
        self.check_limits(&actor.owner, create.max_per_owner).await?;
        let usual = create.terminal.as_ref().unwrap_or(&self.inner.options.terminal);
        let size = checked_size(&create, usual)?;
        create.prompt_pattern.as_deref().map(pattern).transpose()?;
        let usual_prompt = (usual.prompt_pattern != self.inner.options.terminal.prompt_pattern)
            .then(|| usual.prompt_pattern.clone());
        usual_prompt.as_deref().map(pattern).transpose()?;
        let id = session_id()?;
        let env = child_environment(actor.kind, &origin.env, &id, usual, &create.env);
        let cwd = working_directory(&create, origin, &env)?;
        let wanted =
            create.program.clone().or_else(|| usual.shell.clone()).unwrap_or_else(|| login_shell(&env));
        let program = resolve(&wanted, env.get("PATH"), &cwd)?;
        let number = self.take_number(create.name.as_deref())?;
        let mut meta = Meta {
            id,
            number,
            name: create.name,
            program: program.to_string_lossy().into_owned(),
            args: create.args,
            line: create.command,
            cwd: Some(cwd.to_string_lossy().into_owned()),
            panel: create.panel,
            created_ms: now_ms(),
            size,
            allow: create.allow,
            prompt_pattern: create.prompt_pattern,
            usual_prompt,
            history_lines: Some(usual.history_lines),
            actor,
            retry_id: retry_id.to_owned(),
            nonce: None,
            record: create.record.unwrap_or(self.inner.options.record),
            damage: None,
        };
        let spec = self.spec(&mut meta, env, &cwd)?;
        let session = self.spawn(meta, &spec, &cwd).await?;
        self.make_active(&session).await;
        Ok(session)
    }

    /// Makes a new session its owner's active one. The session is usable even if the keeper cannot store that.
    async fn make_active(&self, session: &Session) {
        self.state().front.used(&session.meta().actor.owner, session.meta().number);
        if let Err(error) = self.keep_front().await {
            tracing::warn!(%error, session = session.meta().id, "the keeper did not store the active session");
        }
    }

    /// Asks the policy about the program and its arguments. If no program is named, the arguments are a shell's.
    fn judge(&self, create: &Create) -> Result<(), SessionError> {
        let program = create.program.as_deref().unwrap_or("sh");
        match self.inner.policy.judge_words(program, &create.args) {
            Verdict::Allow => Ok(()),
            Verdict::Deny { reason } => Err(ApiError::PolicyDenied { reason }.into()),
        }
    }

    /// The session that an owner's request created.
    fn by_retry_id(&self, owner: &str, retry_id: &str) -> Option<Session> {
        self.state().sessions.by_retry_id(owner, retry_id).cloned()
    }

    async fn check_limits(&self, owner: &str, max_per_owner: Option<usize>) -> Result<(), SessionError> {
        let options = &self.inner.options;
        let max_per_owner = max_per_owner.unwrap_or(options.max_per_owner);
        if self.state().closing {
            return Err(ApiError::ShuttingDown.into());
        }
        let (all, own) = {
            let state = self.state();
            let (live, exited) = state.sessions.count();
            // The keeper holds descriptors of exited sessions, too.
            if DESCRIPTORS.1 + DESCRIPTORS.0 * ((live + exited) as u64 + 1) > self.inner.open_files {
                return Err(ApiError::OpenFiles { limit: self.inner.open_files }.into());
            }
            (live, state.sessions.live_of(owner))
        };
        let (limit, of_all) = match () {
            () if all >= options.max_total => (options.max_total, true),
            () if own >= max_per_owner => (max_per_owner, false),
            () => return Ok(()),
        };
        let mut candidates = self.list().await;
        candidates.retain(|info| info.ended.is_none() && (of_all || info.meta.actor.owner == owner));
        candidates.sort_by_key(|info| std::cmp::Reverse(info.idle_ms));
        let idle = candidates.iter().take(3).map(|info| info.meta.id.clone()).collect();
        Err(ApiError::MaxSessions { limit, idle }.into())
    }

    fn take_number(&self, name: Option<&str>) -> Result<u32, SessionError> {
        let mut state = self.state();
        if let Some(name) = name {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
            let number = name.chars().all(|c| c.is_ascii_digit());
            let other = name.starts_with("sess_") || name == super::access::ACTIVE || window(name).is_some();
            if name.is_empty() || name.len() > 64 || !plain || number || other {
                return Err(ApiError::BadName { name: shortened(name) }.into());
            }
            if state.sessions.by_name(name).is_some() {
                return Err(ApiError::NameTaken { name: name.to_owned() }.into());
            }
        }
        let number = state.next_number;
        state.next_number += 1;
        Ok(number)
    }

    /// What the child becomes. A shell that we know is started with our integration.
    fn spec(
        &self,
        meta: &mut Meta,
        mut env: BTreeMap<String, String>,
        cwd: &Path,
    ) -> Result<Spec, SessionError> {
        let nonce = random::<16>()?;
        let hook = self.hook_path(&meta.id);
        let history = &self.inner.options.history_file;
        let history = (meta.actor.kind != ActorKind::Person).then_some(history.as_path());
        let integration = &self.inner.integration;
        let marking = integration.marking(&meta.program, &meta.args, &env, &hook, history);
        let args = match marking {
            Some(marking) => {
                env.extend(marking.env);
                meta.nonce = Some(nonce);
                marking.args
            }
            None => meta.args.clone(),
        };
        let bytes = |text: String| ByteBuf::from(text.into_bytes());
        Ok(Spec {
            program: meta.program.clone().into_bytes(),
            args: args.into_iter().map(bytes).collect(),
            env: env.into_iter().map(|(n, v)| (bytes(n), bytes(v))).collect(),
            cwd: cwd.as_os_str().as_encoded_bytes().to_vec(),
            open_files: self.inner.options.open_files,
        })
    }

    async fn spawn(&self, meta: Meta, spec: &Spec, cwd: &Path) -> Result<Session, SessionError> {
        let (cols, rows) = meta.size;
        let refused = |error| self.refused(error);
        let (pty, slave) = Pty::open(WindowSize { cols, rows }).map_err(refused)?;
        let (live, journal) = LiveJournal::create().map_err(refused)?;
        meta.copy_into(&journal).map_err(refused)?;
        let (input, queue) = InputQueue::create().map_err(refused)?;
        let meta = Arc::new(meta);
        let made = async {
            let hook = self.make_files(&meta).await?;
            let pid = self.start_program(&meta, spec, cwd, (&pty, slave), (journal, queue)).await?;
            self.task(Arc::clone(&meta), pid, pty, live, input, hook)
        };
        match made.await {
            Ok(mut task) => {
                task.go_live(false);
                Ok(self.register(meta, Start::Made(Box::new(task))))
            }
            Err(error) => {
                self.undo(&meta).await;
                Err(error)
            }
        }
    }

    /// Makes the files of a new session; returns its hook. Files that shells need may be missing, if there was no room for them
    /// before.
    async fn make_files(&self, meta: &Arc<Meta>) -> Result<Option<Hook>, SessionError> {
        let (live, begun) = (self.inner.live.clone(), Arc::clone(meta));
        blocking(move || {
            live.begin(&begun);
            Ok(())
        })
        .await?;
        if meta.nonce.is_some() && !self.inner.installed.load(Ordering::Relaxed) {
            let hub = self.clone();
            blocking(move || Ok(hub.install()?)).await?;
        }
        let hook = self.open_hook(meta).await?;
        if let Some(nonce) = meta.nonce.clone() {
            let path = self.hook_path(&meta.id);
            blocking(move || Ok(Hook::leave_nonce(&path, &nonce)?)).await?;
        }
        Ok(hook)
    }

    /// Starts the program of a new session; returns its process id.
    async fn start_program(
        &self,
        meta: &Meta,
        spec: &Spec,
        cwd: &Path,
        (pty, slave): (&Pty, OwnedFd),
        (journal, queue): (OwnedFd, OwnedFd),
    ) -> Result<u32, SessionError> {
        let refused = |error| self.refused(error);
        // The child's input is ready before the keeper forks, so the child starts even if the daemon dies now.
        let (mut ours, theirs) = UnixStream::pair().map_err(refused)?;
        let bytes = child::encode(spec)?;
        ours.set_nonblocking(true)?;
        ours.write_all(&bytes).map_err(|_| invalid("the environment is too large"))?;
        let blob = serde_json::to_vec(meta).map_err(io::Error::other)?;
        let key = meta.id.clone().into_bytes();
        let master = pty.duplicate().map_err(refused)?;
        let slots = vec![(slot::MASTER, master), (slot::JOURNAL, journal), (slot::INPUT, queue)];
        let pid = match self.inner.link.spawn(&key, &blob, OwnedFd::from(theirs), slave, slots).await {
            Err(KeeperError::Refused(error)) => return Err(refused(error)),
            spawned => spawned?,
        };
        let mut failure = Vec::new();
        tokio::net::UnixStream::from_std(ours)?.read_to_end(&mut failure).await?;
        match child::decode_failure(&failure) {
            Some(failure) => Err(start_error(&failure, &meta.program, cwd)),
            None => Ok(pid),
        }
    }

    /// Removes what a session that could not be made left behind.
    async fn undo(&self, meta: &Meta) {
        let key = meta.id.as_bytes();
        let root = if self.inner.has_subreapers {
            Root::Subreaper { key: meta.id.clone(), pid: tree::subreaper(self.inner.keeper, &meta.id, None) }
        } else {
            let held = self.inner.link.list().await.unwrap_or_default();
            let pid = held.into_iter().find(|entry| entry.key == key).and_then(|entry| entry.pid);
            Root::Program { key: meta.id.clone(), pid: pid.unwrap_or(0) }
        };
        tree::signal(tree::members(self.inner.keeper, &[root]).iter().flatten(), Signal::KILL);
        let _ = self.inner.link.forget(key).await;
        self.state().early_exits.remove(key);
        self.inner.live.end(&meta.id);
        let hook = self.hook_path(&meta.id);
        let _ = tokio::task::spawn_blocking(move || Hook::remove_at(&hook)).await;
    }

    /// The error for a terminal, or its memory, that the kernel refused.
    fn refused(&self, error: io::Error) -> SessionError {
        match Errno::from_io_error(&error) {
            // The kernel reports its limit on terminals as ENOSPC, which would read as a full disk.
            Some(Errno::NOSPC) => {
                ApiError::Pty { error: "the system's limit of pseudo-terminals is reached".into() }.into()
            }
            Some(Errno::MFILE | Errno::NFILE) => ApiError::OpenFiles { limit: self.inner.open_files }.into(),
            Some(Errno::AGAIN) => ApiError::Processes.into(),
            _ => ApiError::Pty { error: error.to_string() }.into(),
        }
    }
}

impl Session {
    /// Whether its program is an interactive shell.
    pub fn is_interactive_shell(&self) -> bool {
        is_interactive_shell(&self.meta().program, &self.meta().args)
    }
}

/// Refuses text that the kernel would not take unchanged.
fn check_words(create: &Create) -> Result<(), SessionError> {
    let wrong = |what: String| Err(invalid(what));
    let words = create.program.iter().chain(&create.args).chain(&create.cwd).chain(create.env.values());
    if words.chain(create.env.keys()).any(|word| word.contains('\0')) {
        return wrong("a program, argument, variable or directory must not contain a NUL byte".into());
    }
    match create.env.keys().find(|name| name.is_empty() || name.contains('=')) {
        Some(name) => wrong(format!("`{name}` is not a valid variable name")),
        None => Ok(()),
    }
}

fn checked_size(create: &Create, usual: &TerminalOptions) -> Result<(u16, u16), SessionError> {
    let (cols, rows) = (create.cols.unwrap_or(usual.cols), create.rows.unwrap_or(usual.rows));
    check_size(cols, rows)?;
    Ok((cols, rows))
}

/// Refuses a size that is too small or too large.
pub(crate) fn check_size(cols: u16, rows: u16) -> Result<(), SessionError> {
    if !(2..=LARGEST).contains(&cols) || !(1..=LARGEST).contains(&rows) {
        let message = format!(
            "{cols} columns by {rows} rows is not a valid size: use 2 to {LARGEST} columns and 1 to {LARGEST} rows"
        );
        return Err(invalid(message));
    }
    Ok(())
}

fn login_shell(env: &BTreeMap<String, String>) -> String {
    env.get("SHELL").filter(|s| !s.is_empty()).cloned().unwrap_or_else(|| "/bin/bash".into())
}

fn working_directory(
    create: &Create,
    origin: &Origin,
    env: &BTreeMap<String, String>,
) -> Result<PathBuf, SessionError> {
    let base = origin.cwd.clone().or_else(|| env.get("HOME").cloned()).unwrap_or_else(|| "/".into());
    let dir = match &create.cwd {
        Some(dir) => Path::new(&base).join(dir),
        None => PathBuf::from(base),
    };
    let refused = |error| directory(&dir, &error);
    let metadata = std::fs::metadata(&dir).map_err(refused)?;
    if !metadata.is_dir() {
        return Err(refused(io::ErrorKind::NotADirectory.into()));
    }
    Ok(dir)
}

/// The program's path, found as a shell finds it.
fn resolve(program: &str, path: Option<&String>, cwd: &Path) -> Result<PathBuf, SessionError> {
    let candidates: Vec<PathBuf> = match program {
        "" => Vec::new(),
        _ if program.contains('/') => vec![cwd.join(program)],
        _ => path
            .map(|p| std::env::split_paths(p).map(|dir| cwd.join(dir).join(program)).collect())
            .unwrap_or_default(),
    };
    let runs = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    candidates
        .into_iter()
        .find(runs)
        .ok_or_else(|| ApiError::ProgramNotFound { program: program.to_owned(), error: None }.into())
}

fn start_error(failure: &child::Failure, program: &str, cwd: &Path) -> SessionError {
    let error = io::Error::from_raw_os_error(failure.errno);
    match failure.stage {
        Stage::Terminal => ApiError::Pty { error: error.to_string() }.into(),
        Stage::Directory => directory(cwd, &error),
        Stage::Program => {
            ApiError::ProgramNotFound { program: program.to_owned(), error: Some(error.to_string()) }.into()
        }
    }
}
