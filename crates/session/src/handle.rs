//! The handle of a session: every method is a message to the one task that owns it. `run` is in `task/run.rs`, hand-off
//! requests are in `handoff/`.

use std::sync::Arc;
use std::time::Duration;

use cotty_protocol::op::run;
use cotty_vt::{Key, Paste};
use regex::Regex;
use rustix::process::Signal;
use tokio::sync::{mpsc, oneshot};

use crate::Activity;
use crate::commands::history::{Ran, RanCommand};
use crate::counts::{self, Counted};
use crate::durable::checkpoint::Lost;
use crate::durable::journal::disk::{Capture, Capturing, RecordingState};
use crate::error::{broken, destroyed};
use crate::handoff::state::HandoffRequest;
use crate::hub::meta::Typist;
use crate::input::lease::InputLease;
use crate::input::mouse::Mouse;
use crate::input::reaction::Reaction;
use crate::keyboard::state::Returned;
use crate::keyboard::{Hold, KeyboardState};
use crate::output::{Found, ReadResult, View};
use crate::request::{Reply, Request};
use crate::viewers::Viewer;
use crate::viewers::presence::Watcher;
use crate::viewers::updates::{Snapshot, Subscribed, Subscription, Update};
use crate::wait::Conditions;
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
    /// The mouse, for a program that asked for it.
    Mouse(Mouse),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// A control character of the line discipline, as the program has set it.
    Control(Control),
    /// Several inputs, typed in order without anything between them.
    Several(Vec<Input>),
}

/// What a control character makes the line discipline do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Interrupts the program.
    Interrupt,
    /// Ends the program's input.
    Eof,
    /// Suspends the program.
    Suspend,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When it ended, in milliseconds since the epoch.
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

/// The current state of a session.
#[derive(Debug, Clone)]
pub struct Info {
    /// Its metadata.
    pub meta: Meta,
    /// The id of its process.
    pub pid: u32,
    /// The title that the program set.
    pub title: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Row and column of the cursor, from 0.
    pub cursor: (u16, u16),
    /// How its program ended, if it has.
    pub ended: Option<Ended>,
    /// What it is doing.
    pub activity: Activity,
    /// Whether the shell, or another program with a prompt, waits for a line.
    pub prompt: bool,
    /// The working directory of its foreground program.
    pub cwd: Option<String>,
    /// How many bytes of output it has processed.
    pub seq: u64,
    /// The state of its recording.
    pub recording: RecordingState,
    /// Milliseconds since the last output or input.
    pub idle_ms: u64,
    /// Who may type.
    pub keyboard: KeyboardState,
    /// How many lines of history it keeps.
    pub history_lines: usize,
    /// Whether a signal stopped the program in the foreground.
    pub stopped: bool,
    /// The newest hand-off request, open or not.
    pub handoff: Option<HandoffRequest>,
    /// What a daemon could not take over from the one before it.
    pub lost: Option<Lost>,
    /// Whether the next daemon needs a checkpoint besides the journal.
    pub checkpointed: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The seq before the input.
    pub seq: u64,
    /// How many bytes were typed.
    pub bytes: u64,
    /// How many bytes of earlier input were dropped, because this input is an interrupt and they were in its way.
    pub dropped: u64,
    /// What a person did with the keyboard, if an agent typed that has not been notified of it yet.
    pub returned: Option<Returned>,
}

/// How a wait ended.
#[derive(Debug, Clone)]
pub struct Waited {
    /// Which condition was met.
    pub met: Met,
    /// How long the wait took.
    pub elapsed: Duration,
    /// The session at that moment.
    pub info: Info,
    /// Its screen at that moment.
    pub screen: String,
    /// The line that matched.
    pub matched: Option<String>,
    /// Why no condition was met, if none was.
    pub why: Option<String>,
    /// How the last command ended, if the shell waits for the next one.
    pub command: Option<LastCommand>,
}

/// How the last command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastCommand {
    /// Its exit code, if the shell reported it.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
}

/// The result of a `run`.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// The command's state and its whole output.
    pub ran: run::Ran,
    /// The seq before the command was typed.
    pub since: u64,
    /// The shell waits for the rest of the command.
    pub incomplete: bool,
    /// What a daemon could not take over from the one before it, if the reader has not been notified yet.
    pub lost: Option<Lost>,
    /// The session afterwards.
    pub info: Info,
}

/// A live terminal. Cheap to clone; every method is a message to the one task that owns it.
#[derive(Debug, Clone)]
pub struct Session {
    meta: Arc<Meta>,
    requests: mpsc::Sender<Request>,
}

impl Session {
    pub(crate) fn new(meta: Arc<Meta>, requests: mpsc::Sender<Request>) -> Session {
        Session { meta, requests }
    }

    /// The session's metadata.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(crate) async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, SessionError> {
        let (reply, answer) = oneshot::channel();
        self.tell(request(reply)).await?;
        answer.await.map_err(|_| match self.requests.is_closed() {
            true => destroyed(self.meta.id.clone()),
            false => broken("the session failed on this call and was restored to its earlier state"),
        })
    }

    pub(crate) async fn tell(&self, request: Request) -> Result<(), SessionError> {
        self.requests.send(request).await.map_err(|_| destroyed(self.meta.id.clone()))
    }

    /// Returns when the session's task has ended and released its resources.
    pub(crate) async fn is_gone(&self) {
        self.requests.closed().await;
    }

    /// Types. A repeated `retry_id` types nothing and returns the same answer. Keys of a viewer have none: they are counted, so that
    /// many keys do not push the retry ids of calls out of memory. With a lease, no other call of an agent may type until the
    /// lease is dropped.
    pub async fn send(
        &self,
        input: Input,
        by: &Typist,
        retry_id: Option<&str>,
        lease: Option<&InputLease>,
    ) -> Result<Typed, SessionError> {
        let (retry_id, by, lease) =
            (retry_id.map(str::to_owned), by.clone(), lease.map(InputLease::reference));
        self.ask(|reply| Request::Type { input, retry_id, by, lease, reply }).await?
    }

    /// What the program does within 80 ms in reaction to input that was typed at `seq`.
    pub async fn observe(&self, seq: u64, text: Option<String>) -> Result<Reaction, SessionError> {
        self.ask(|reply| Request::Observe { seq, text, reply }).await
    }

    /// Takes the keyboard or gives it back.
    pub async fn hold(&self, hold: Hold, by: &Typist) -> Result<KeyboardState, SessionError> {
        let by = by.clone();
        self.ask(|reply| Request::Hold { hold, by, reply }).await?
    }

    /// Reports that a viewer connected. `watcher` has the name under which its keys are typed.
    pub async fn viewer_connected(&self, watcher: Watcher) -> Result<(), SessionError> {
        self.tell(Request::ViewerConnected { watcher }).await
    }

    /// Reports that a viewer disconnected.
    pub async fn viewer_disconnected(&self, who: &str) -> Result<(), SessionError> {
        self.tell(Request::ViewerDisconnected { who: who.to_owned() }).await
    }

    /// Signals the program in the foreground; returns its process group and its name. A repeated `retry_id` signals nothing
    /// and returns the same answer.
    pub async fn signal(
        &self,
        signal: Signal,
        by: &Typist,
        retry_id: &str,
    ) -> Result<(u32, Option<String>), SessionError> {
        let (by, retry_id) = (by.clone(), retry_id.to_owned());
        self.ask(|reply| Request::Signal { signal, retry_id, by, reply }).await?
    }

    /// Resizes the terminal to these columns and rows.
    pub async fn resize(&self, size: (u16, u16)) -> Result<(), SessionError> {
        self.ask(|reply| Request::Resize { size, reply }).await?
    }

    /// Makes the session's size follow the window of the keyboard's holder; `None` restores the session's own size.
    pub async fn fit(&self, size: Option<(u16, u16)>, by: &Typist) -> Result<(), SessionError> {
        let by = by.clone();
        self.ask(|reply| Request::Fit { size, by, reply }).await?
    }

    /// Sets how many lines of history the session keeps.
    pub async fn set_history(&self, lines: usize) -> Result<(), SessionError> {
        self.ask(|reply| Request::History { lines, reply }).await?
    }

    /// Searches the screen, the history and the alternate-screen history.
    pub async fn search(&self, pattern: Regex, limit: usize) -> Result<Vec<Found>, SessionError> {
        self.ask(|reply| Request::Search { pattern, limit, reply }).await
    }

    /// Waits until a condition is met or the time is over.
    pub async fn wait(&self, wait: Wait) -> Result<Waited, SessionError> {
        self.wait_until(Conditions::new(wait)?).await
    }

    pub(crate) async fn wait_until(&self, wait: Conditions) -> Result<Waited, SessionError> {
        let _counted = Counted::new(&counts::WAITS);
        self.ask(|reply| Request::Wait { wait, reply }).await
    }

    /// The index of the last of these retry ids that has typed something already.
    pub async fn last_typed(&self, retry_ids: Vec<String>) -> Result<Option<usize>, SessionError> {
        self.ask(|reply| Request::LastTyped { retry_ids, reply }).await
    }

    /// The newest commands that the shell ran, in the order in which they ran.
    pub async fn commands(&self, limit: usize) -> Result<Ran, SessionError> {
        self.ask(|reply| Request::Commands { limit, reply }).await
    }

    /// One command by its number, with its output; `None` if it does not exist or is forgotten.
    pub async fn command_output(&self, number: u64) -> Result<Option<(RanCommand, String)>, SessionError> {
        self.ask(|reply| Request::CommandOutput { number, reply }).await
    }

    /// Reads. Each reader has its own position; `since` reads from another one and does not move it. A repeated `retry_id`
    /// reads from the same position as before, in case a dying daemon lost the answer. The caller passes on only a part of an
    /// answer that is longer than `most` bytes.
    pub async fn read(
        &self,
        view: View,
        raw: bool,
        reader: &str,
        retry_id: &str,
        since: Option<u64>,
        most: usize,
    ) -> Result<ReadResult, SessionError> {
        let (reader, retry_id) = (reader.to_owned(), retry_id.to_owned());
        self.ask(|reply| Request::Read { view, raw, reader, retry_id, since, most, reply }).await
    }

    /// The current state of the session.
    pub async fn info(&self) -> Result<Info, SessionError> {
        self.ask(|reply| Request::Info { reply }).await
    }

    /// Returns when everything up to now is written to the session's files, or could not be written.
    pub(crate) async fn flush(&self) -> Result<(), SessionError> {
        self.ask(|reply| Request::FlushCapture { reply }).await?;
        self.ask(|reply| Request::Flush { reply }).await
    }

    /// The retry id that started the running capture, and what it has captured.
    pub(crate) async fn capturing(&self) -> Result<Option<(String, Capture)>, SessionError> {
        self.ask(|reply| Request::Capturing { reply }).await
    }

    pub(crate) async fn start_capture(&self, capturing: Capturing) -> Result<Capture, SessionError> {
        self.ask(|reply| Request::StartCapture { capturing, reply }).await?
    }

    /// Ends the capture and returns what it has captured. A repeated `retry_id` returns the same answer.
    pub async fn stop_capture(&self, retry_id: &str) -> Result<Capture, SessionError> {
        let retry_id = retry_id.to_owned();
        self.ask(|reply| Request::FlushCapture { reply }).await?;
        self.ask(|reply| Request::StopCapture { retry_id, reply }).await?
    }

    /// A viewer: the screen, and every change from then on.
    pub async fn view(&self) -> Result<Viewer, SessionError> {
        self.ask(|reply| Request::View { reply }).await
    }

    /// A subscription for a front end: a snapshot, then its changes, then how the program ended.
    pub async fn subscribe(&self) -> Result<Subscription, SessionError> {
        Subscription::new(self.clone()).await
    }

    /// The current screen, for a front end.
    pub async fn snapshot(&self) -> Result<Snapshot, SessionError> {
        let first = self.join_updates().await?.first;
        let snapshot = first.iter().find_map(|update| match &**update {
            Update::Snapshot(snapshot) => Some(snapshot.clone()),
            _ => None,
        });
        snapshot.ok_or_else(|| destroyed(self.meta.id.clone()))
    }

    pub(crate) async fn join_updates(&self) -> Result<Subscribed, SessionError> {
        self.ask(|reply| Request::Subscribe { reply }).await
    }

    /// Makes the session's task panic, for tests.
    #[cfg(any(test, debug_assertions))]
    pub async fn panic(&self) -> Result<(), SessionError> {
        self.ask(|reply| Request::Panic { reply }).await
    }
}
