//! The handle of a session: every method is a message to the one task that owns it. `run` stands in `task/run.rs`, what is asked
//! of people in `handoff/`.

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
use crate::output::{Found, Reading, View};
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
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// What the terminal itself understands, by the character that the program set for it.
    Control(Control),
    /// One after the other, as one.
    Several(Vec<Input>),
}

/// What the line discipline does with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Interrupts the program.
    Interrupt,
    /// Ends its input.
    Eof,
    /// Suspends it.
    Suspend,
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
    /// Who may type.
    pub keyboard: KeyboardState,
    /// Lines of history it keeps.
    pub history_lines: usize,
    /// Whether a signal stopped the program in the foreground.
    pub stopped: bool,
    /// The newest request, open or not.
    pub handoff: Option<HandoffRequest>,
    /// What a daemon could not take over from the one before it.
    pub lost: Option<Lost>,
    /// Whether the next daemon needs a checkpoint to know all that this one does.
    pub checkpointed: bool,
}

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Output processed before.
    pub seq: u64,
    /// Bytes for the program.
    pub bytes: u64,
    /// What an agent that typed had not been told yet: what a person did with the keyboard.
    pub returned: Option<Returned>,
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
    /// The line that was waited for.
    pub matched: Option<String>,
    /// Why nothing held, where nothing did.
    pub why: Option<String>,
    /// Where the shell waits for the next command: how the last one ended.
    pub command: Option<RanBefore>,
}

/// How the last command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RanBefore {
    /// Its exit code, where the shell told it.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
}

/// What became of a `run`.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// How far it came, and what it said: all of it.
    pub ran: run::Ran,
    /// Output before it was typed: what is new since then begins with that.
    pub since: u64,
    /// The shell waits for the rest of the command.
    pub incomplete: bool,
    /// What a daemon could not take over from the one before it, if the reader was not told yet.
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

    /// What stays true of it.
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

    /// Ends when its task has, and has let go of all it had.
    pub(crate) async fn is_gone(&self) {
        self.requests.closed().await;
    }

    /// Types. The same request again types nothing and answers the same. With a lease no other call of an agent types from
    /// now on, as long as that lives.
    pub async fn send(
        &self,
        input: Input,
        by: &Typist,
        retry_id: &str,
        lease: Option<&InputLease>,
    ) -> Result<Typed, SessionError> {
        let (retry_id, by, lease) = (retry_id.to_owned(), by.clone(), lease.map(InputLease::reference));
        self.ask(|reply| Request::Type { input, retry_id, by, lease, reply }).await?
    }

    /// Types what comes from a viewer's keyboard or mouse. It is counted, not named: whoever presses keys all day is not to
    /// crowd out the calls that may be made again.
    pub async fn press(&self, input: Input, by: &Typist) -> Result<Typed, SessionError> {
        let by = by.clone();
        self.ask(|reply| Request::Press { input, by, reply }).await?
    }

    /// What the program did with something typed after `seq`, or has done in a tenth of a second.
    pub async fn observe(&self, seq: u64, text: Option<String>) -> Result<Reaction, SessionError> {
        self.ask(|reply| Request::Observe { seq, text, reply }).await
    }

    /// Takes the keyboard, or gives it back.
    pub async fn hold(&self, hold: Hold, by: &Typist) -> Result<KeyboardState, SessionError> {
        let by = by.clone();
        self.ask(|reply| Request::Hold { hold, by, reply }).await?
    }

    /// Tells that a viewer came, by the name its keys come under.
    pub async fn viewer_came(&self, watcher: Watcher) -> Result<(), SessionError> {
        self.tell(Request::ViewerCame { watcher }).await
    }

    /// Tells that it went.
    pub async fn viewer_went(&self, who: &str) -> Result<(), SessionError> {
        self.tell(Request::ViewerWent { who: who.to_owned() }).await
    }

    /// Signals the program in the foreground; answers its process group and its name. The same request again signals nothing
    /// and answers the same.
    pub async fn signal(
        &self,
        signal: Signal,
        by: &Typist,
        retry_id: &str,
    ) -> Result<(u32, Option<String>), SessionError> {
        let (by, retry_id) = (by.clone(), retry_id.to_owned());
        self.ask(|reply| Request::Signal { signal, retry_id, by, reply }).await?
    }

    /// Gives the terminal another size: columns and rows.
    pub async fn resize(&self, size: (u16, u16)) -> Result<(), SessionError> {
        self.ask(|reply| Request::Resize { size, reply }).await?
    }

    /// Has the session follow the window of whoever has the keyboard; without a size it gets its own back.
    pub async fn fit(&self, size: Option<(u16, u16)>, by: &Typist) -> Result<(), SessionError> {
        let by = by.clone();
        self.ask(|reply| Request::Fit { size, by, reply }).await?
    }

    /// Keeps so many lines of history from now on.
    pub async fn set_history(&self, lines: usize) -> Result<(), SessionError> {
        self.ask(|reply| Request::History { lines, reply }).await?
    }

    /// Searches what is on the screen, what left it, and what full-screen programs showed.
    pub async fn search(&self, pattern: Regex, limit: usize) -> Result<Vec<Found>, SessionError> {
        self.ask(|reply| Request::Search { pattern, limit, reply }).await
    }

    /// Waits.
    pub async fn wait(&self, wait: Wait) -> Result<Waited, SessionError> {
        self.wait_until(Conditions::new(wait)?).await
    }

    pub(crate) async fn wait_until(&self, wait: Conditions) -> Result<Waited, SessionError> {
        let _counted = Counted::new(&counts::WAITS);
        self.ask(|reply| Request::Wait { wait, reply }).await
    }

    /// The last of these calls that has typed something already: for a call that is made again.
    pub async fn last_typed(&self, retry_ids: Vec<String>) -> Result<Option<usize>, SessionError> {
        self.ask(|reply| Request::LastTyped { retry_ids, reply }).await
    }

    /// The newest commands that its shell ran, oldest of them first.
    pub async fn commands(&self, limit: usize) -> Result<Ran, SessionError> {
        self.ask(|reply| Request::Commands { limit, reply }).await
    }

    /// One command by its number, with its output; `None` if there is none such, or it is forgotten.
    pub async fn command_output(&self, number: u64) -> Result<Option<(RanCommand, String)>, SessionError> {
        self.ask(|reply| Request::CommandOutput { number, reply }).await
    }

    /// Reads. Each reader has its own place; `since` reads from another without moving it. A request that comes again, because
    /// its answer was lost with a daemon, reads from where it read. `most`: of more bytes the caller gives only a part.
    pub async fn read(
        &self,
        view: View,
        raw: bool,
        reader: &str,
        retry_id: &str,
        since: Option<u64>,
        most: usize,
    ) -> Result<Reading, SessionError> {
        let (reader, retry_id) = (reader.to_owned(), retry_id.to_owned());
        self.ask(|reply| Request::Read { view, raw, reader, retry_id, since, most, reply }).await
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
    pub async fn stop_capture(&self, retry_id: &str) -> Result<Capture, SessionError> {
        let retry_id = retry_id.to_owned();
        self.ask(|reply| Request::FlushCapture { reply }).await?;
        self.ask(|reply| Request::StopCapture { retry_id, reply }).await?
    }

    /// Its screen, and every change from then on.
    pub async fn view(&self) -> Result<Viewer, SessionError> {
        self.ask(|reply| Request::View { reply }).await
    }

    /// The same for a front end that draws lines: a snapshot, then what changes of it, and how the program ended.
    pub async fn subscribe(&self) -> Result<Subscription, SessionError> {
        Subscription::new(self.clone()).await
    }

    /// What it shows now, for a front end that draws lines.
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

    /// Shows what happens when the task fails.
    /// Makes its task panic, to show what comes of it.
    #[cfg(any(test, debug_assertions))]
    pub async fn panic(&self) -> Result<(), SessionError> {
        self.ask(|reply| Request::Panic { reply }).await
    }
}
