use std::sync::Arc;
use std::time::Duration;

use cotty_vt::{Key, Paste};
use tokio::sync::{mpsc, oneshot};

use crate::journal::disk::{Capture, Capturing, RecordingState};
use crate::meta::ActorKind;
use crate::reading::{Reading, View};
use crate::viewers::Viewer;
use crate::{Met, Meta, SessionError, Wait};

/// What to type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Text; each line end is the Enter key.
    Text {
        /// The text.
        text: String,
        /// Paste brackets.
        paste: Paste,
    },
    /// One key, encoded for the modes that the program has set.
    Key(Key),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// By itself, with this code.
    pub exit_code: Option<i32>,
    /// By this signal.
    pub signal: Option<i32>,
    /// When, in milliseconds since the epoch.
    pub at_ms: u64,
}

impl Ended {
    pub(crate) fn from_status(status: i32, at_ms: u64) -> Ended {
        // The encoding of waitpid: the low seven bits are the signal, the next byte the exit code.
        let signal = status & 0x7f;
        if signal == 0 {
            Ended { exit_code: Some((status >> 8) & 0xff), signal: None, at_ms }
        } else {
            Ended { exit_code: None, signal: Some(signal), at_ms }
        }
    }
}

/// What a session is doing, as far as can be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// The shell waits for a command.
    Prompt,
    /// A program runs: the one that may read the terminal.
    Running(Option<String>),
    /// The program reads a line without showing it.
    SecretInput,
    /// The program has ended.
    Exited,
}

/// What a session is, now.
#[derive(Debug, Clone)]
pub struct Info {
    /// What stays true of it.
    pub meta: Meta,
    /// Its process.
    pub pid: u32,
    /// The title that the program set.
    pub title: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Row and column of the cursor, from 0.
    pub cursor: (u16, u16),
    /// How its program ended, if it did.
    pub ended: Option<Ended>,
    /// What it is doing.
    pub activity: Activity,
    /// Whether the shell, or a program that asks as one does, waits for a line.
    pub prompt: bool,
    /// The directory of its foreground program.
    pub cwd: Option<String>,
    /// Output processed.
    pub seq: u64,
    /// How its recording goes.
    pub recording: RecordingState,
    /// Milliseconds since anything came or was typed.
    pub idle_ms: u64,
}

/// What was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed {
    /// Output processed before.
    pub seq: u64,
    /// Bytes for the program.
    pub bytes: u64,
}

/// How a wait ended.
#[derive(Debug, Clone)]
pub struct Waited {
    /// Which condition held.
    pub met: Met,
    /// After how long.
    pub elapsed: Duration,
    /// The session at that moment.
    pub info: Info,
    /// Its screen at that moment.
    pub screen: String,
    /// Why nothing held, where nothing did.
    pub why: Option<String>,
}

/// How far a `run` came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutcome {
    /// Its command ended.
    Done,
    /// It runs on.
    Running,
    /// The shell itself ended.
    Exited,
}

/// What became of a `run`.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// How far it came.
    pub outcome: RunOutcome,
    /// Its own output.
    pub output: String,
    /// Lines of it that the limits had dropped.
    pub dropped: u64,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// How long it took, or has taken so far.
    pub duration_ms: u64,
    /// The session afterwards.
    pub info: Info,
}

type Reply<T> = oneshot::Sender<T>;

/// What a handle asks of the task behind it.
pub(crate) enum Request {
    Type {
        input: Input,
        request: String,
        by: ActorKind,
        reply: Reply<Result<Typed, SessionError>>,
    },
    Run {
        command: String,
        request: String,
        lane: std::sync::Weak<()>,
        reply: Reply<Result<u64, SessionError>>,
    },
    RunResult {
        request: String,
        reply: Reply<Result<RunResult, SessionError>>,
    },
    Wait {
        wait: Wait,
        reply: Reply<Waited>,
    },
    Read {
        view: View,
        raw: bool,
        reader: String,
        since: Option<u64>,
        reply: Reply<Reading>,
    },
    Info {
        reply: Reply<Info>,
    },
    View {
        reply: Reply<Viewer>,
    },
    Flush {
        reply: Reply<()>,
    },
    FlushCapture {
        reply: Reply<()>,
    },
    Capturing {
        reply: Reply<Option<(String, Capture)>>,
    },
    StartCapture {
        capturing: Capturing,
        reply: Reply<Result<Capture, SessionError>>,
    },
    StopCapture {
        request: String,
        reply: Reply<Result<Capture, SessionError>>,
    },
    Exited {
        status: i32,
    },
    Close,
}

/// A live terminal. Cheap to clone; every method is a message to the one task that owns it.
#[derive(Debug, Clone)]
pub struct Session {
    meta: Arc<Meta>,
    requests: mpsc::Sender<Request>,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Request")
    }
}

impl Session {
    pub(crate) fn new(meta: Arc<Meta>, requests: mpsc::Sender<Request>) -> Session {
        Session { meta, requests }
    }

    /// What stays true of it.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, SessionError> {
        let (reply, answer) = oneshot::channel();
        self.tell(request(reply)).await?;
        answer.await.map_err(|_| SessionError::Destroyed(self.meta.id.clone()))
    }

    pub(crate) async fn tell(&self, request: Request) -> Result<(), SessionError> {
        self.requests.send(request).await.map_err(|_| SessionError::Destroyed(self.meta.id.clone()))
    }

    /// Types. The same request again types nothing and answers the same.
    pub async fn send(&self, input: Input, by: ActorKind, request: &str) -> Result<Typed, SessionError> {
        let request = request.to_owned();
        self.ask(|reply| Request::Type { input, request, by, reply }).await?
    }

    /// Waits.
    pub async fn wait(&self, wait: Wait) -> Result<Waited, SessionError> {
        self.ask(|reply| Request::Wait { wait, reply }).await
    }

    /// Runs one command in the shell and waits for its end, but not longer than `timeout`. The same request again
    /// types nothing and goes on waiting.
    pub async fn run(
        &self,
        command: &str,
        timeout: Duration,
        request: &str,
    ) -> Result<RunResult, SessionError> {
        // Held until the end: as long as it lives, nobody else types.
        let lane = Arc::new(());
        let (command, id) = (command.to_owned(), request.to_owned());
        let held = Arc::downgrade(&lane);
        self.ask(|reply| Request::Run { command, request: id, lane: held, reply }).await??;
        let wait = Wait { command: Some(request.to_owned()), timeout: Some(timeout), ..Wait::default() };
        self.wait(wait).await?;
        let id = request.to_owned();
        let result = self.ask(|reply| Request::RunResult { request: id, reply }).await?;
        drop(lane);
        result
    }

    /// Reads. Each reader has its own place; `since` reads from another without moving it.
    pub async fn read(
        &self,
        view: View,
        raw: bool,
        reader: &str,
        since: Option<u64>,
    ) -> Result<Reading, SessionError> {
        let reader = reader.to_owned();
        self.ask(|reply| Request::Read { view, raw, reader, since, reply }).await
    }

    /// What it is, now.
    pub async fn info(&self) -> Result<Info, SessionError> {
        self.ask(|reply| Request::Info { reply }).await
    }

    /// Returns when all that has happened so far is in its files, or cannot be.
    pub(crate) async fn flush(&self) -> Result<(), SessionError> {
        self.ask(|reply| Request::FlushCapture { reply }).await?;
        self.ask(|reply| Request::Flush { reply }).await
    }

    /// The request that began its capture, and what that has so far.
    pub(crate) async fn capturing(&self) -> Result<Option<(String, Capture)>, SessionError> {
        self.ask(|reply| Request::Capturing { reply }).await
    }

    pub(crate) async fn start_capture(&self, capturing: Capturing) -> Result<Capture, SessionError> {
        self.ask(|reply| Request::StartCapture { capturing, reply }).await?
    }

    /// Ends the capture and tells what it has. The same request again answers the same.
    pub async fn stop_capture(&self, request: &str) -> Result<Capture, SessionError> {
        let request = request.to_owned();
        self.ask(|reply| Request::FlushCapture { reply }).await?;
        self.ask(|reply| Request::StopCapture { request, reply }).await?
    }

    /// Its screen, and every change from then on.
    pub async fn view(&self) -> Result<Viewer, SessionError> {
        self.ask(|reply| Request::View { reply }).await
    }
}
