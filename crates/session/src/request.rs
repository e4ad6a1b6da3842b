//! What a handle asks of the task behind it.

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
use crate::output::{Found, Reading, View};
use crate::viewers::Viewer;
use crate::viewers::presence::Watcher;
use crate::viewers::updates::Subscribed;
use crate::wait::Conditions;

pub(crate) type Reply<T> = oneshot::Sender<T>;

/// One of them, with where the answer goes.
pub(crate) enum Request {
    Type {
        input: Input,
        retry_id: String,
        by: Typist,
        lease: Option<LeaseRef>,
        reply: Reply<Result<Typed, SessionError>>,
    },
    /// What a viewer's keyboard and mouse do.
    Press {
        input: Input,
        by: Typist,
        reply: Reply<Result<Typed, SessionError>>,
    },
    Run {
        command: String,
        retry_id: String,
        by: Typist,
        lease: LeaseRef,
        reply: Reply<Result<Typed, SessionError>>,
    },
    RunResult {
        run: String,
        reader: String,
        reply: Reply<Result<RunResult, SessionError>>,
    },
    /// Which of these calls was the last to type something.
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
        reply: Reply<Reading>,
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
    ViewerCame {
        watcher: Watcher,
    },
    ViewerWent {
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
