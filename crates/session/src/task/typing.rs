//! Typing: input is checked, recorded and then queued. It reaches the program exactly once, even if the daemon dies.

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_pty::facts::LineMode;
use rustix::process::Signal;

use super::Task;
use crate::clock::steady_ms;
use crate::commands::{Moment, Phase};
use crate::durable::journal::{RecordKind, Signalled, Source};
use crate::error::{broken, exited};
use crate::handle::{Input, Typed};
use crate::hub::meta::{ActorKind, Typist, now_ms};
use crate::input::encode::{Encoder, control_character};
use crate::input::interrupt::{self, Dropped, discard_unread};
use crate::input::lease::LeaseRef;
use crate::input::typed::{Echo, EchoedBy};
use crate::output::screen::Spot;
use crate::wait::facts::Facts;
use crate::{Activity, Key, KeyCode, SessionError};

/// How long a program may take to set its terminal's modes one after the other.
const MODES_SETTLE: Duration = Duration::from_millis(30);

/// Whether an input can only cancel a question: interrupt, end of input, suspend or quit, as keys or as their characters.
fn only_cancels(input: &Input) -> bool {
    match input {
        Input::Control(_) => true,
        Input::Key(Key { code: KeyCode::Char('c' | 'd' | 'z' | '\\'), ctrl: true, alt: false, .. }) => true,
        Input::Text { text, .. } => {
            !text.is_empty() && text.chars().all(|c| matches!(c, '\x03' | '\x04' | '\x1a' | '\x1c'))
        }
        Input::Several(inputs) => !inputs.is_empty() && inputs.iter().all(only_cancels),
        Input::Key(_) | Input::Mouse(_) | Input::Bytes(_) => false,
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Who echoes bytes that are typed now, and how many echoed lines they end. A hidden line has no echo.
fn echo_of(bytes: &[u8], mode: Option<LineMode>, hidden: bool, at_prompt: bool) -> (EchoedBy, u32) {
    // Enter alone has no visible echo.
    let alone = bytes.first().is_some_and(|&byte| is_line_end(byte));
    let surely = !alone && (at_prompt || mode.is_none_or(|mode| mode.echo));
    let ends = bytes.iter().filter(|&&byte| !hidden && is_line_end(byte)).count();
    // Only a line that ends has an echo to recognize. The hash of a key would reveal the key.
    let shown = if surely || ends == 0 { EchoedBy::Surely } else { EchoedBy::perhaps(bytes) };
    (shown, u32::try_from(ends).unwrap_or(u32::MAX))
}

impl Task {
    pub(super) async fn type_input(
        &mut self,
        input: &Input,
        source: Source,
        by: &Typist,
        call: Option<&LeaseRef>,
    ) -> Result<Typed, SessionError> {
        if let Source::Request(retry_id) = &source
            && let Some(typed) = self.typing.remembered(retry_id)
        {
            self.typing.take_lease(call);
            return Ok(typed);
        }
        // A person can always type; calls of agents must not mix.
        if by.kind != ActorKind::Person {
            self.typing.lease().check(call, Instant::now())?;
        }
        self.drain().await;
        self.check_keyboard(by)?;
        self.check_secret(by, Some(input)).await?;
        self.check_person_left_no_line(by, input)?;
        self.check_modifiers(by, input)?;
        let bytes = self.encode(input)?;
        let typed = self.type_bytes(&bytes, source, by, false).await?;
        self.typing.take_lease(call);
        Ok(typed)
    }

    fn encode(&self, input: &Input) -> Result<Vec<u8>, SessionError> {
        let (program, pty) = (self.program(), self.terminal.pty());
        let encoder = Encoder {
            vt: &self.vt,
            program: &|| program.name(),
            control: &|control| control_character(pty, control),
        };
        encoder.encode(input)
    }

    /// Refuses an agent while a person holds the keyboard, and every caller once the program has ended.
    pub(super) fn check_keyboard(&mut self, by: &Typist) -> Result<(), SessionError> {
        self.check_not_exited()?;
        self.expire_keyboard();
        self.keyboard.check(by.kind == ActorKind::Person, steady_ms())
    }

    /// Refuses once the program has ended.
    pub(super) fn check_not_exited(&self) -> Result<(), SessionError> {
        self.ended.map_or(Ok(()), |ended| Err(exited(ended.exit_code)))
    }

    /// Refuses an agent's input when the program asks for a secret, unless the input only cancels the question.
    pub(super) async fn check_secret(
        &mut self,
        by: &Typist,
        input: Option<&Input>,
    ) -> Result<(), SessionError> {
        if by.kind == ActorKind::Person || input.is_some_and(only_cancels) || self.agents_answer_secrets {
            return Ok(());
        }
        // A program that is still working may be switching modes, so it is checked again.
        if self.observe_now().asked_secret().is_some() && self.program().waits_for_input() == Some(false) {
            tokio::time::sleep(MODES_SETTLE).await;
            self.drain().await;
        }
        match self.observe_now().asked_secret() {
            Some(asked) => {
                Err(ApiError::SecretInput { suspected: asked == Activity::SecretSuspected }.into())
            }
            None => Ok(()),
        }
    }

    /// Refuses an agent's text when a person has left text on the command line.
    fn check_person_left_no_line(&self, by: &Typist, input: &Input) -> Result<(), SessionError> {
        let Phase::Prompt(prompt) = self.commands.phase() else { return Ok(()) };
        let text = matches!(input, Input::Text { .. } | Input::Bytes(_) | Input::Several(_));
        let persons = self.typing.lines().person_typed_since(prompt.seq);
        let observation = self.observe_now();
        match by.kind != ActorKind::Person && text && persons && observation.line_is_started(prompt) {
            true => Err(ApiError::LineStarted { entered: observation.prompt().is_none() }.into()),
            false => Ok(()),
        }
    }

    /// Refuses an agent's key whose super or hyper modifier would be lost. A person's own terminal may send such keys.
    fn check_modifiers(&self, by: &Typist, input: &Input) -> Result<(), SessionError> {
        let Input::Key(key) = input else { return Ok(()) };
        let bare = Key { super_key: false, hyper: false, ..*key };
        let lost = *key != bare && self.vt.encode_key(key) == self.vt.encode_key(&bare);
        match by.kind != ActorKind::Person && lost {
            true => Err(ApiError::UnknownModifier { key: character(key.code) }.into()),
            false => Ok(()),
        }
    }

    pub(super) async fn type_bytes(
        &mut self,
        bytes: &[u8],
        source: Source,
        by: &Typist,
        run: bool,
    ) -> Result<Typed, SessionError> {
        self.check_not_exited()?;
        self.make_room().await?;
        let mode = self.program().line_mode();
        let hidden = self.observe_now().asked_secret().is_some();
        let (shown, lines) = echo_of(bytes, mode, hidden, matches!(self.commands.phase(), Phase::Prompt(_)));
        let (seq, count, at) = (self.vt.seq(), bytes.len() as u64, steady_ms());
        let dropped = self.in_the_way(bytes);
        let to = match dropped {
            Some(_) => self.typing.stage_first(bytes)?,
            None => self.typing.stage(bytes)?,
        };
        // What a person types is private, and so is a secret.
        let recorded = by.kind != ActorKind::Person && !hidden;
        let by = by.clone();
        let (overtakes, dropped) = (dropped.is_some(), dropped.unwrap_or_default());
        let what =
            RecordKind::Typed { source, bytes: count, to, lines, shown, run, by, at, recorded, dropped };
        let holder = self.keyboard.holder().map(str::to_owned);
        let returned = self.keyboard.returned().cloned();
        self.record(&what, now_ms()).inspect_err(|_| self.typing.unstage())?;
        if self.keyboard.holder() != holder.as_deref() {
            // Viewers are notified, whether or not the program echoes the input.
            self.viewers.changed(Instant::now());
        }
        let visible = !hidden && !bytes.iter().any(|&byte| is_line_end(byte));
        self.typing.typed_into(visible.then(|| self.vt.position().line));
        if overtakes {
            discard_unread(self.terminal.pty());
        }
        let now = Instant::now();
        self.typing.accepted(bytes, to, run, now);
        self.typing.push(self.terminal.watched(), now);
        // An agent's input clears this, so its answer reports it.
        let returned = returned.filter(|_| self.keyboard.returned().is_none());
        Ok(Typed { seq, bytes: count, dropped: dropped.bytes, returned })
    }

    /// The input that waits for the program, if these bytes interrupt it and would have to wait, too.
    fn in_the_way(&self, bytes: &[u8]) -> Option<Dropped> {
        let pty = self.terminal.pty();
        let unread = interrupt::in_the_way(bytes, pty, u64::from(self.typing.is_queued()))?;
        let waiting = self.typing.waiting();
        Some(Dropped { bytes: waiting.bytes + unread, ..waiting })
    }

    /// Notes where typing begins at the prompt. Text typed ahead of the prompt is there already.
    fn note_line(&mut self) {
        let Phase::Prompt(prompt) = self.commands.phase() else { return };
        let first = self.commands.begun().is_none();
        let ahead = first && self.observe_now().line_is_started(prompt);
        let position = if ahead { prompt.position } else { self.vt.position() };
        let entered = self.typing.lines().last_line().is_some_and(|line| line.seq >= prompt.seq);
        self.commands.typing(position, entered);
    }

    /// Applies typed input, live or in a replay.
    pub(super) fn apply_typed(&mut self, what: &RecordKind, ms: u64) {
        let RecordKind::Typed { source, bytes, to, lines, shown, run, by, at, recorded, dropped } = what
        else {
            return;
        };
        let (seq, position) = (self.vt.seq(), self.vt.position());
        let person = by.kind == ActorKind::Person;
        self.typing.accept(*to);
        if *recorded {
            self.typing.keep(to.saturating_sub(*bytes), *to);
        }
        match person {
            true => {
                self.keyboard.person_typed(&by.who, &by.name, *bytes, seq, *at);
                self.handoff.person_typed(*bytes);
            }
            false => self.keyboard.agent_typed(),
        }
        self.note_line();
        let vt = &self.vt;
        self.typing.typed(source, &by.who, *bytes, seq, || Spot::of(vt, position), person);
        if *dropped != Dropped::default() {
            self.typing.drop_before(to.saturating_sub(*bytes), *dropped, source);
        }
        if *lines > 0 && !self.vt.modes().alt_screen {
            self.typing.entered(Echo { seq, position, lines: *lines, shown: shown.clone() });
        }
        match source {
            Source::Request(retry_id) if *run => {
                let stamp = self.vt.cursor_stamp();
                self.commands.typed(retry_id, Moment { position, seq, stamp, ms });
            }
            _ => self.typing.typed_ahead(*lines),
        }
    }

    /// Sends a signal. Like typing, this needs the keyboard. It is recorded first, so that a retry does not send it again.
    pub(super) async fn signal(
        &mut self,
        signal: Signal,
        retry_id: String,
        by: &Typist,
    ) -> Result<(u32, Option<String>), SessionError> {
        if let Some(sent) = self.typing.signalled(&retry_id) {
            return Ok((sent.group, sent.program.clone()));
        }
        self.check_keyboard(by)?;
        self.make_room().await?;
        let (name, group) = (self.program().name(), self.program().group());
        let Some(group) = group else { return Err(broken("the session has no process to signal")) };
        // A signal that cannot be sent must not be recorded as sent.
        rustix::process::test_kill_process_group(group).map_err(std::io::Error::from)?;
        let id = group.as_raw_nonzero().get().unsigned_abs();
        let signalled = Signalled { retry_id, signal: signal.as_raw(), group: id, program: name.clone() };
        self.record(&RecordKind::Signalled(signalled), now_ms())?;
        rustix::process::kill_process_group(group, signal).map_err(std::io::Error::from)?;
        Ok((id, name))
    }

    /// Notifies viewers that an agent's input was refused.
    pub(super) fn note_refusal<T>(&mut self, by: &Typist, answer: &Result<T, SessionError>) {
        let secret = match answer {
            Err(SessionError::Refused(ApiError::KeyboardHeld { .. })) => false,
            Err(SessionError::Refused(ApiError::SecretInput { .. })) => true,
            _ => return,
        };
        if by.kind != ActorKind::Person {
            self.viewers.turned_away(&by.name, secret, Instant::now());
        }
    }

    /// Forgets unread input once the shell has read it.
    pub(super) fn settle_unread(&mut self) {
        use crate::input::unread::Unread;
        let at_prompt = matches!(self.commands.phase(), Phase::Prompt(_));
        if at_prompt && self.typing.unread() != Unread::Nothing && self.observe_now().shell_reads() {
            self.typing.shell_has_read();
        }
    }
}

fn character(code: KeyCode) -> Option<char> {
    match code {
        KeyCode::Char(c) => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Control;

    #[test]
    fn interrupt_eof_suspend_and_quit_only_cancel() {
        let text = |text: &str| Input::Text { text: text.into(), paste: crate::Paste::Auto };
        let ctrl = |c| Input::Key(Key { ctrl: true, ..KeyCode::Char(c).into() });
        for cancelling in [
            Input::Control(Control::Interrupt),
            ctrl('c'),
            ctrl('d'),
            text("\x03"),
            Input::Several(vec![ctrl('c'), ctrl('z')]),
        ] {
            assert!(only_cancels(&cancelling), "{cancelling:?}");
        }
        for answering in [
            text("hunter2"),
            text(""),
            text("\x03x"),
            ctrl('x'),
            Input::Key(KeyCode::Enter.into()),
            Input::Several(vec![]),
            Input::Several(vec![ctrl('c'), text("x")]),
        ] {
            assert!(!only_cancels(&answering), "{answering:?}");
        }
    }

    #[test]
    fn the_line_mode_tells_who_echoes_a_line() {
        let mode = |echo, canonical| Some(LineMode { echo, canonical });
        for (bytes, mode, at_prompt, surely, lines) in [
            ("ls\r", mode(true, true), false, true, 1),
            ("ls", mode(true, true), false, true, 0),
            // At the prompt a line editor echoes it; another program may.
            ("ls\r", mode(false, false), true, true, 1),
            ("ls\r", mode(false, false), false, false, 1),
            ("\r", mode(true, true), true, false, 1),
            // A secret is not on the screen, and a single key is no line: nothing of them is kept.
            ("hunter2\r", mode(false, true), false, true, 0),
            ("h", mode(false, true), false, true, 0),
            ("h", mode(false, false), false, true, 0),
            ("a\rb\r", None, false, true, 2),
        ] {
            let hidden = mode.is_some_and(LineMode::asks_for_secret);
            let (shown, ends) = echo_of(bytes.as_bytes(), mode, hidden, at_prompt);
            assert_eq!((shown == EchoedBy::Surely, ends), (surely, lines), "{bytes:?} in {mode:?}");
        }
    }
}
