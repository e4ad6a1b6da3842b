//! What is typed: recorded first, then queued; it reaches the program exactly once, whoever dies.

pub(crate) mod lease;
pub(crate) mod mouse;
pub(crate) mod notation;
pub(crate) mod reaction;
pub(crate) mod unread;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_pty::facts;
use cotty_vt::Position;
use rustix::process::{Pid, Signal};
use rustix::termios::{SpecialCodeIndex, tcgetattr};

use crate::commands::{Moment, Phase};
use crate::durable::checkpoint::Remembered;
use crate::durable::journal::{Record, Signalled, Source, What};
use crate::error::{broken, exited};
use crate::handle::{Control, Input, Typed};
use crate::hub::meta::{ActorKind, Typist, now_ms};
use crate::input::lease::Taken;
use crate::output::{Echo, Shown};
use crate::task::Task;
use crate::{Activity, Key, KeyCode, SessionError};

/// Requests, and typed lines, that are remembered.
const REMEMBERED: usize = 256;

/// What ends a paste; the Enter key after it is typed once the program has read so far, or it might take it for text.
const PASTE_END: &[u8] = b"\x1b[201~";

/// How long a program may take to set its terminal's modes one after the other.
const MODES_SETTLE: Duration = Duration::from_millis(30);

pub(crate) fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// Whether something typed can only leave a question: interrupt, end of input, suspend, quit; as keys, or as what they send.
fn leaves(input: &Input) -> bool {
    match input {
        Input::Control(_) => true,
        Input::Key(Key { code: KeyCode::Char('c' | 'd' | 'z' | '\\'), ctrl: true, alt: false, .. }) => true,
        Input::Text { text, .. } => {
            !text.is_empty() && text.chars().all(|c| matches!(c, '\x03' | '\x04' | '\x1a' | '\x1c'))
        }
        Input::Several(inputs) => !inputs.is_empty() && inputs.iter().all(leaves),
        Input::Key(_) | Input::Mouse(_) | Input::Bytes(_) => false,
    }
}

impl Task {
    pub(crate) async fn type_input(
        &mut self,
        input: &Input,
        source: Source,
        by: &Typist,
        lane: Option<&Taken>,
    ) -> Result<Typed, SessionError> {
        if let Source::Request(request) = &source
            && let Some(typed) = self.remembered(request)
        {
            self.take_lane(lane);
            return Ok(typed);
        }
        // A person can always type; calls of agents do not mix into each other.
        if by.kind != ActorKind::Person {
            self.check_lane(lane)?;
        }
        self.drain().await;
        self.check_keyboard(by)?;
        self.check_secret(by, Some(input)).await?;
        self.check_not_into_a_line(by, input)?;
        self.check_modifiers(by, input)?;
        let bytes = self.encode(input)?;
        let typed = self.type_bytes(&bytes, source, by, false).await?;
        self.take_lane(lane);
        Ok(typed)
    }

    fn encode(&self, input: &Input) -> Result<Vec<u8>, SessionError> {
        Ok(match input {
            Input::Text { text, paste } => self.vt.encode_text(text, *paste),
            Input::Key(key) => self.vt.encode_key(key),
            Input::Mouse(mouse) => self.point(mouse)?,
            Input::Bytes(bytes) => bytes.clone(),
            Input::Control(control) => vec![self.control_character(*control)],
            Input::Several(inputs) => {
                let parts: Result<Vec<Vec<u8>>, _> = inputs.iter().map(|input| self.encode(input)).collect();
                parts?.concat()
            }
        })
    }

    /// The character that the program set for it, or else the usual one.
    fn control_character(&self, control: Control) -> u8 {
        let (index, usual) = match control {
            Control::Interrupt => (SpecialCodeIndex::VINTR, 0x03),
            Control::Eof => (SpecialCodeIndex::VEOF, 0x04),
            Control::Suspend => (SpecialCodeIndex::VSUSP, 0x1a),
        };
        let set = tcgetattr(self.pty.get_ref()).ok().map(|termios| termios.special_codes[index]);
        set.filter(|&code| code != 0).unwrap_or(usual)
    }

    /// A person who types takes the keyboard; an agent needs it. What has ended has none.
    pub(crate) fn check_keyboard(&mut self, by: &Typist) -> Result<(), SessionError> {
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        self.expire_keyboard();
        match self.saved.keyboard.held() {
            Some(held) if by.kind != ActorKind::Person => Err(ApiError::KeyboardHeld {
                by: held.name.clone(),
                ends_in_ms: held.ends_ms().map(|end| end.saturating_sub(now_ms())),
            }
            .into()),
            _ => Ok(()),
        }
    }

    /// An agent does not answer a question for a secret; it may only leave it.
    pub(crate) async fn check_secret(
        &mut self,
        by: &Typist,
        input: Option<&Input>,
    ) -> Result<(), SessionError> {
        if by.kind == ActorKind::Person || input.is_some_and(leaves) || self.agents_answer_secrets {
            return Ok(());
        }
        // What is still at work may be on its way from one mode to another, and is looked at once more.
        if self.asked_secret().is_some() && facts::waits_for_input(self.pty.get_ref()) == Some(false) {
            tokio::time::sleep(MODES_SETTLE).await;
            self.drain().await;
        }
        match self.asked_secret() {
            Some(asked) => {
                Err(ApiError::SecretInput { suspected: asked == Activity::SecretSuspected }.into())
            }
            None => Ok(()),
        }
    }

    /// What a person left on the command line is not the agent's to go on with.
    fn check_not_into_a_line(&self, by: &Typist, input: &Input) -> Result<(), SessionError> {
        let Phase::Prompt(prompt) = self.saved.commands.phase() else { return Ok(()) };
        let text = matches!(input, Input::Text { .. } | Input::Bytes(_) | Input::Several(_));
        let persons = self.saved.person_typed_at.is_some_and(|seq| seq >= prompt.seq);
        let begun = self.line_is_begun(prompt);
        match by.kind != ActorKind::Person && text && persons && begun {
            true => Err(ApiError::LineStarted { entered: self.prompt().is_none() }.into()),
            false => Ok(()),
        }
    }

    /// An agent would take a key that lost its super for the one it meant; a person's own terminal may send such.
    fn check_modifiers(&self, by: &Typist, input: &Input) -> Result<(), SessionError> {
        let Input::Key(key) = input else { return Ok(()) };
        let bare = Key { super_key: false, hyper: false, ..*key };
        let lost = *key != bare && self.vt.encode_key(key) == self.vt.encode_key(&bare);
        match by.kind != ActorKind::Person && lost {
            true => Err(ApiError::UnknownModifier { key: character(key.code) }.into()),
            false => Ok(()),
        }
    }

    pub(crate) async fn type_bytes(
        &mut self,
        bytes: &[u8],
        source: Source,
        by: &Typist,
        run: bool,
    ) -> Result<Typed, SessionError> {
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let mode = facts::line_mode(self.pty.get_ref());
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_));
        // Enter alone shows nothing, whoever shows it.
        let alone = matches!(bytes.first(), Some(b'\r' | b'\n'));
        let shown = match !alone && (at_prompt || mode.is_none_or(|mode| mode.echo)) {
            true => Shown::Surely,
            false => Shown::perhaps(bytes),
        };
        // A line that is not shown leaves nothing to leave out.
        let hidden = mode.is_some_and(facts::LineMode::asks_for_secret);
        let ends = bytes.iter().filter(|&&b| !hidden && matches!(b, b'\r' | b'\n')).count();
        let lines = u32::try_from(ends).unwrap_or(u32::MAX);
        let (seq, count, at) = (self.vt.seq(), bytes.len() as u64, now_ms());
        let to = self.input.stage(bytes)?;
        // What a person types is nobody's business, and a secret least of all.
        let recorded = by.kind != ActorKind::Person && !hidden;
        let by = by.clone();
        let what = What::Typed { source, bytes: count, to, lines, shown, run, by, at, recorded };
        self.hot.record(&Record { seq, what: what.clone() })?;
        let holder = self.saved.keyboard.held().map(|held| held.who.clone());
        let returned = self.saved.keyboard.returned().cloned();
        self.apply(&what, at);
        if self.saved.keyboard.held().map(|held| &held.who) != holder.as_ref() {
            // Viewers are told, whether or not the program shows what was typed.
            self.viewers.changed(Instant::now());
        }
        // Whatever is typed next, an interrupt perhaps, does not wait for what is held back.
        self.input.go_on();
        if !run && bytes.ends_with(b"\r") && bytes[..bytes.len() - 1].ends_with(PASTE_END) {
            self.input.hold_at(to - 1);
        }
        self.last_typed = Some(Instant::now());
        self.push_input();
        // A person knows; an agent is told with the answer.
        let returned = returned.filter(|_| self.saved.keyboard.returned().is_none());
        Ok(Typed { seq, bytes: count, returned })
    }

    /// Notes where a line begins to be typed at the prompt: what was typed ahead of it stands there already.
    fn note_typing(&mut self, position: Position) {
        let Phase::Prompt(prompt) = self.saved.commands.phase() else { return };
        let first = self.saved.commands.begun().is_none();
        let position = if first && self.line_is_begun(prompt) { prompt.position } else { position };
        let entered = self.saved.echoes.back().is_some_and(|echo| echo.seq >= prompt.seq);
        self.saved.commands.typing(position, entered);
    }

    /// What a record does to the state: the same when it happens and when it is replayed.
    pub(crate) fn apply(&mut self, what: &What, ms: u64) {
        let seq = self.vt.seq();
        match what {
            What::Typed { source, bytes, to, lines, shown, run, by, at, .. } => {
                self.input.accept(*to);
                if by.kind == ActorKind::Person {
                    self.saved.keyboard.person_typed(&by.who, &by.name, *bytes, seq, *at);
                    self.saved.person_typed_at = Some(seq);
                    self.saved.pleas.person_typed(*bytes);
                } else {
                    self.saved.keyboard.agent_typed();
                }
                let position = self.vt.position();
                self.note_typing(position);
                self.remember(source, &by.who, *bytes);
                if *lines > 0 && !self.vt.modes().alt_screen {
                    push_bounded(
                        &mut self.saved.echoes,
                        Echo { seq, position, lines: *lines, shown: shown.clone() },
                    );
                }
                match source {
                    Source::Request(request) if *run => self
                        .saved
                        .commands
                        .typed(request, Moment { position, seq, stamp: self.vt.cursor_stamp(), ms }),
                    _ => self.typed_ahead(*lines),
                }
            }
            What::Replied { to } => self.input.accept(*to),
            What::Resized { cols, rows, put_back } => {
                self.vt.resize(cotty_vt::Size { cols: *cols, rows: *rows });
                self.saved.put_back = *put_back;
            }
            What::Keyboard { change, at } => self.apply_keyboard(change, *at),
            What::History { lines } => self.vt.set_history_lines(*lines),
            What::Read { reader, shown, request } => self.apply_read(reader, *shown, *request),
            What::Answered { reader, run } => self.apply_answered(reader, run),
            What::CaptureBegan(capturing) => self.saved.capturing = Some(capturing.clone()),
            What::CaptureEnded { request, capture } => {
                self.saved.capturing = None;
                self.saved.captured = Some((request.clone(), capture.clone()));
            }
            What::Plea(change) => self.apply_plea(change),
            What::Signalled(signalled) => push_bounded(&mut self.saved.signals, signalled.clone()),
            What::Marked { .. } => {}
        }
        self.note_record(what, ms);
    }

    /// Notes that it was typed, so that it is not typed again.
    fn remember(&mut self, source: &Source, who: &str, bytes: u64) {
        self.saved.typed_seq = Some(self.vt.seq());
        match source {
            Source::Request(request) => {
                let (seq, spot) = (self.vt.seq(), self.spot(self.vt.position()));
                push_bounded(
                    &mut self.saved.requests,
                    Remembered { request: request.clone(), seq, bytes, spot },
                );
            }
            Source::Viewer(count) => {
                self.saved.viewers.retain(|(viewer, _)| viewer != who);
                push_bounded(&mut self.saved.viewers, (who.to_owned(), *count));
            }
        }
    }

    /// Types what comes from a viewer.
    pub(crate) async fn press(&mut self, input: &Input, by: &Typist) -> Result<Typed, SessionError> {
        let next = Source::Viewer(self.pressed(&by.who) + 1);
        let typed = self.type_input(input, next, by, None).await;
        self.note_refusal(by, &typed);
        typed
    }

    /// How many keys and the like of a viewer were typed.
    fn pressed(&self, who: &str) -> u64 {
        self.saved.viewers.iter().find(|(viewer, _)| viewer == who).map_or(0, |(_, count)| *count)
    }

    /// A signal is as good as a key: an agent needs the keyboard for it. It is written down first, so that it is sent once.
    pub(crate) async fn signal(
        &mut self,
        signal: Signal,
        request: String,
        by: &Typist,
    ) -> Result<(u32, Option<String>), SessionError> {
        if let Some(sent) = self.saved.signals.iter().find(|sent| sent.request == request) {
            return Ok((sent.group, sent.program.clone()));
        }
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        self.check_keyboard(by)?;
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let program = self.foreground_name();
        let leader = || i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let group = facts::foreground(self.pty.get_ref()).or_else(leader);
        let Some(group) = group else { return Err(broken("it has no process")) };
        // One that cannot be sent is not written down as sent.
        rustix::process::test_kill_process_group(group).map_err(std::io::Error::from)?;
        let id = group.as_raw_nonzero().get().unsigned_abs();
        let signalled = Signalled { request, signal: signal.as_raw(), group: id, program: program.clone() };
        let what = What::Signalled(signalled);
        self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(&what, now_ms());
        rustix::process::kill_process_group(group, signal).map_err(std::io::Error::from)?;
        Ok((id, program))
    }

    pub(crate) fn remembered(&self, request: &str) -> Option<Typed> {
        let known = self.saved.requests.iter().rev().find(|known| known.request == request)?;
        Some(Typed { seq: known.seq, bytes: known.bytes, returned: None })
    }
}

fn character(code: KeyCode) -> Option<char> {
    match code {
        KeyCode::Char(c) => Some(c),
        _ => None,
    }
}
