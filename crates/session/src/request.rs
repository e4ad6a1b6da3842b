//! The messages that a handle sends to its session's task.

use std::time::Duration;

use regex::Regex;
use rustix::process::Signal;
use tokio::sync::oneshot;

use crate::SessionError;
use crate::commands::history::{Ran, RanCommand};
use crate::durable::journal::disk::{Capture, Capturing};
use crate::handle::{Info, Input, RunResult, Typed, Waited};
use crate::handoff::HandoffAction;
use crate::hub::meta::Typist;
use crate::input::lease::LeaseRef;
use crate::input::reaction::Reaction;
use crate::keyboard::{Hold, KeyboardState};
use crate::output::{Found, ReadResult, View};
use crate::shell::Hook;
use crate::viewers::Viewer;
use crate::viewers::presence::Watcher;
use crate::viewers::updates::Subscribed;
use crate::wait::Conditions;

pub(crate) type Reply<T> = oneshot::Sender<T>;

/// A message, with the channel for its answer.
pub(crate) enum Request {
    /// Input from a viewer's keyboard or mouse has no retry id.
    Type {
        input: Input,
        retry_id: Option<String>,
        by: Typist,
        lease: Option<LeaseRef>,
        reply: Reply<Result<Typed, SessionError>>,
    },
    Run {
        command: String,
        retry_id: String,
        by: Typist,
        lease: LeaseRef,
        reply: Reply<Result<Typed, SessionError>>,
    },
    /// The result of a `run` when its command ends, at the latest after this time.
    RunEnd {
        run: String,
        timeout: Duration,
        reader: String,
        reply: Reply<Result<RunResult, SessionError>>,
    },
    /// A hook in place of one that vanished.
    Hook {
        hook: Option<Hook>,
    },
    /// Which of these retry ids was the last to type something.
    LastTyped {
        retry_ids: Vec<String>,
        reply: Reply<Option<usize>>,
    },
    Commands {
        limit: usize,
        reply: Reply<Ran>,
    },
    CommandOutput {
        number: u64,
        reply: Reply<Option<(RanCommand, String)>>,
    },
    Wait {
        wait: Conditions,
        reply: Reply<Waited>,
    },
    Read {
        view: View,
        raw: bool,
        reader: String,
        retry_id: String,
        since: Option<u64>,
        most: usize,
        reply: Reply<ReadResult>,
    },
    Observe {
        seq: u64,
        text: Option<String>,
        reply: Reply<Reaction>,
    },
    Hold {
        hold: Hold,
        by: Typist,
        reply: Reply<Result<KeyboardState, SessionError>>,
    },
    Handoff(HandoffAction),
    ViewerConnected {
        watcher: Watcher,
    },
    ViewerDisconnected {
        who: String,
    },
    Signal {
        signal: Signal,
        retry_id: String,
        by: Typist,
        reply: Reply<Result<(u32, Option<String>), SessionError>>,
    },
    Resize {
        size: (u16, u16),
        reply: Reply<Result<(), SessionError>>,
    },
    Fit {
        size: Option<(u16, u16)>,
        by: Typist,
        reply: Reply<Result<(), SessionError>>,
    },
    History {
        lines: usize,
        reply: Reply<Result<(), SessionError>>,
    },
    Search {
        pattern: Regex,
        limit: usize,
        reply: Reply<Vec<Found>>,
    },
    Info {
        reply: Reply<Info>,
    },
    View {
        reply: Reply<Viewer>,
    },
    Subscribe {
        reply: Reply<Subscribed>,
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
        retry_id: String,
        reply: Reply<Result<Capture, SessionError>>,
    },
    Exited {
        status: i32,
    },
    Close,
    #[cfg(any(test, debug_assertions))]
    Panic {
        reply: Reply<()>,
    },
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Request")
    }
}
