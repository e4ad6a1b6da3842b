//! The task that owns a terminal: one loop that reads output, feeds the engine, handles requests and answers waits.
//!
//! Each part (keyboard, readers, waits, …) owns its state; other code changes it only through its methods. This folder has
//! the operations that need several parts, one per file: what is written to the journal, in which order, and who is notified.

mod capture;
mod drawing;
mod handoff;
mod keyboard;
mod observe;
mod output;
mod portion;
pub(crate) mod program;
mod read;
mod record;
mod recovery;
mod run;
mod size;
mod terminal;
mod turn;
mod typing;

use std::sync::Arc;
use std::time::Instant;

use cotty_pty::{Link, Pty};
use cotty_vt::{Options, Position, Size, Vt};
use regex::Regex;
use tokio::sync::mpsc;

use self::drawing::Drawing;
use self::portion::Portion;
use self::run::run_end;
use self::terminal::Terminal;
use crate::commands::{Commands, Moment};
use crate::durable::checkpoint::Lost;
use crate::durable::journal::disk::{RecordingQueue, Worker};
use crate::durable::journal::{InputQueue, LiveJournal, Source};
use crate::durable::recording::Recording;
use crate::handle::Ended;
use crate::handoff::Handoff;
use crate::hub::meta::now_ms;
use crate::input::Typing;
use crate::input::reaction::Observers;
use crate::keyboard::fit::Fit;
use crate::keyboard::state::Keyboard;
use crate::output::readers::Readers;
use crate::output::search;
use crate::request::Request;
use crate::shell::gate::Gate;
use crate::shell::{Doubts, Hook};
use crate::viewers::Viewers;
use crate::wait::{Waiter, Waits};
use crate::{Meta, Policy, SessionError};

/// Everything that a task is built from.
pub(crate) struct Opened {
    pub(crate) meta: Arc<Meta>,
    pub(crate) pid: u32,
    pub(crate) link: Link,
    pub(crate) pty: Pty,
    pub(crate) journal: LiveJournal,
    pub(crate) input: InputQueue,
    pub(crate) hook: Option<Hook>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) queue: RecordingQueue,
    pub(crate) writer: Worker,
    pub(crate) prompt_pattern: Arc<Regex>,
    pub(crate) history_lines: usize,
    pub(crate) agents_answer_secrets: bool,
}

pub(crate) struct Task {
    meta: Arc<Meta>,
    pid: u32,
    link: Link,
    terminal: Terminal,
    journal: LiveJournal,
    vt: Vt,
    /// Where the first output was written.
    start: Position,
    drawing: Drawing,
    portion: Portion,
    typing: Typing,
    readers: Readers,
    commands: Commands,
    doubts: Doubts<Moment>,
    gate: Gate,
    keyboard: Keyboard,
    fit: Fit,
    handoff: Handoff,
    waits: Waits,
    observers: Observers,
    viewers: Viewers,
    recording: Recording,
    ended: Option<Ended>,
    /// What was lost when a daemon adopted the session.
    lost: Option<Lost>,
    /// The previous daemon answered the program's queries up to this seq.
    replied: u64,
    /// The previous daemon handled the shell's marks up to this seq.
    noted: u64,
    prompt_pattern: Arc<Regex>,
    /// Whether agents may type when a program asks for a secret.
    agents_answer_secrets: bool,
}

impl Task {
    /// A task with an empty engine.
    pub(crate) fn new(opened: Opened) -> Result<Task, SessionError> {
        let (cols, rows) = opened.meta.size;
        let vt = Vt::with_options(Options {
            size: Size { cols, rows },
            history_lines: opened.history_lines,
            allow: opened.meta.allow,
            ..Options::default()
        });
        Ok(Task {
            meta: opened.meta,
            pid: opened.pid,
            link: opened.link,
            terminal: Terminal::new(opened.pty)?,
            journal: opened.journal,
            start: vt.position(),
            vt,
            drawing: Drawing::default(),
            portion: Portion::default(),
            typing: Typing::new(opened.input),
            readers: Readers::default(),
            commands: Commands::default(),
            doubts: Doubts::default(),
            gate: Gate::new(opened.policy, opened.hook),
            keyboard: Keyboard::default(),
            fit: Fit::default(),
            handoff: Handoff::default(),
            waits: Waits::default(),
            observers: Observers::default(),
            viewers: Viewers::new(),
            recording: Recording::new(opened.queue, opened.writer),
            ended: None,
            lost: None,
            replied: 0,
            noted: 0,
            prompt_pattern: opened.prompt_pattern,
            agents_answer_secrets: opened.agents_answer_secrets,
        })
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Serves until the session is closed or its last handle is dropped.
    pub(crate) async fn serve(mut self, first: Option<Request>, inbox: &mut mpsc::Receiver<Request>) {
        if let Some(request) = first {
            self.handle(request).await;
            self.after_turn().await;
        }
        loop {
            let wake = self.wakeup(Instant::now());
            tokio::select! {
                request = inbox.recv() => match request {
                    None | Some(Request::Close) => break,
                    Some(request) => self.handle(request).await,
                },
                closed = self.terminal.readable(), if !self.terminal.is_hung_up() => {
                    let more = self.drain_in_loop().await;
                    self.terminal.forget_hang_up(closed);
                    self.watch_unless(more);
                }
                closed = self.terminal.writable(), if self.typing.wants_room() => {
                    self.push_input();
                    self.terminal.forget_hang_up(closed);
                }
                written = self.recording.written() => if let Some(written) = written {
                    self.recorded(written);
                },
                () = sleep_until(wake) => {
                    if self.terminal.is_hung_up() && self.ended.is_none() {
                        self.drain().await;
                    }
                }
            }
            self.after_turn().await;
        }
        if let Some(hook) = self.gate.take_hook() {
            // On a thread that may wait for the disk.
            let _ = tokio::task::spawn_blocking(move || hook.remove()).await;
        }
        self.recording.close();
        drop((self.terminal, self.journal, self.typing));
        // The session is gone now: its resources are free, and callers without an answer learn why they get none.
        inbox.close();
    }

    async fn handle(&mut self, request: Request) {
        let now = Instant::now();
        self.end_late_frame(now);
        // A caller may have disconnected; then its answer is dropped.
        match request {
            Request::Type { input, retry_id, by, lease, reply } => {
                let source = retry_id.map_or_else(|| self.typing.next_source(&by.who), Source::Request);
                let typed = self.type_input(&input, source, &by, lease.as_ref()).await;
                self.note_refusal(&by, &typed);
                let _ = reply.send(typed);
            }
            Request::Run { command, retry_id, by, lease, reply } => {
                let started = self.start_run(&command, &retry_id, &by, &lease).await;
                self.note_refusal(&by, &started);
                let _ = reply.send(started);
            }
            Request::RunEnd { run, timeout, reader, reply } => {
                self.waits.add(run_end(&run, timeout), now, Waiter::Run { run, reader, reply });
            }
            Request::LastTyped { retry_ids, reply } => {
                let _ = reply.send(self.typing.last_of(&retry_ids));
            }
            Request::Commands { limit, reply } => {
                let _ = reply.send(self.screen().history(limit, self.ended, now_ms()));
            }
            Request::CommandOutput { number, reply } => {
                let _ = reply.send(self.screen().command(number, self.ended, now_ms()));
            }
            Request::Wait { wait, reply } => self.waits.add(wait, now, Waiter::Wait(reply)),
            Request::Read { view, raw, reader, retry_id, since, most, reply } => {
                self.drain_before_read().await;
                let _ = reply.send(self.read(view, raw, &reader, &retry_id, since, most));
            }
            Request::Observe { seq, text, reply } => self.observers.add(seq, text, reply, now),
            Request::Hold { hold, by, reply } => {
                let _ = reply.send(self.hold(hold, &by).await);
            }
            Request::Handoff(action) => self.handoff_action(action).await,
            Request::ViewerConnected { watcher } => self.viewer_connected(watcher),
            Request::ViewerDisconnected { who } => self.viewer_disconnected(&who),
            Request::Signal { signal, retry_id, by, reply } => {
                let _ = reply.send(self.signal(signal, retry_id, &by).await);
            }
            Request::Resize { size, reply } => {
                let _ = reply.send(self.resize(size).await);
            }
            Request::Fit { size, by, reply } => {
                let _ = reply.send(self.follow_window(size, &by).await);
            }
            Request::History { lines, reply } => {
                let _ = reply.send(self.set_history(lines).await);
            }
            Request::Search { pattern, limit, reply } => {
                let _ = reply.send(search(&self.vt, &pattern, limit));
            }
            Request::Info { reply } => {
                let _ = reply.send(self.info());
            }
            Request::View { reply } => self.viewers.join(reply, now),
            Request::Subscribe { reply } => self.viewers.subscribe(reply, now),
            Request::Exited { status } => {
                // All output is read before the exit is reported.
                while self.drain().await {}
                self.program_ended(status);
            }
            Request::Hook { hook } => self.gate.use_hook(hook),
            Request::Flush { reply } => self.recording.flush(reply),
            Request::FlushCapture { reply } => self.recording.flush_capture(reply),
            Request::Capturing { reply } => {
                let _ = reply.send(self.recording.capturing(now_ms()));
            }
            Request::StartCapture { capturing, reply } => {
                let _ = reply.send(self.start_capture(capturing).await);
            }
            Request::StopCapture { retry_id, reply } => {
                let _ = reply.send(self.stop_capture(&retry_id).await);
            }
            Request::Close => {}
            #[cfg(any(test, debug_assertions))]
            Request::Panic { reply: _reply } => panic!("requested by a test"),
        }
    }

    /// Notes how the program ended. All its output has been read.
    pub(crate) fn program_ended(&mut self, status: i32) {
        if self.ended.is_some() {
            return;
        }
        let (ended, now) = (Ended::from_status(status, now_ms()), Instant::now());
        self.ended = Some(ended);
        self.recording.exit(ended, self.at(ended.at_ms), now);
        self.end_handoff_with_program();
        self.end_keyboard_with_program();
        self.typing.program_ended();
        self.drawing.program_ended();
        self.vt.show_unfinished();
        self.viewers.ended(ended, now);
    }
}

pub(crate) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        // Nothing to wake up for: an idle session costs nothing.
        None => std::future::pending().await,
    }
}
