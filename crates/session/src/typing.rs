//! What is typed: recorded first, then queued; it reaches the program exactly once, whoever dies.

use std::collections::VecDeque;
use std::sync::Weak;
use std::time::{Duration, Instant};

use cotty_pty::facts;

use crate::commands::{Moment, Phase};
use crate::journal::{Record, What};
use crate::meta::{ActorKind, now_ms};
use crate::reading::{Echo, Shown};
use crate::recovery::Remembered;
use crate::session::{Input, RunOutcome, RunResult, Typed};
use crate::task::Task;
use crate::{Activity, SessionError, Verdict};

/// Requests, and typed lines, that are remembered.
const REMEMBERED: usize = 256;
/// A key may have been typed whose echo is not here yet.
const ECHO_ARRIVES: Duration = Duration::from_millis(100);

fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}

impl Task {
    pub(crate) async fn type_input(
        &mut self,
        input: &Input,
        request: &str,
        by: ActorKind,
    ) -> Result<Typed, SessionError> {
        if let Some(typed) = self.remembered(request) {
            return Ok(typed);
        }
        // A person can always type; calls of agents do not mix into each other.
        if by != ActorKind::Person && self.lane.strong_count() > 0 {
            return Err(SessionError::Busy);
        }
        self.drain().await;
        let bytes = match input {
            Input::Text { text, paste } => self.vt.encode_text(text, *paste),
            Input::Key(key) => self.vt.encode_key(key),
        };
        self.type_bytes(&bytes, request, false).await
    }

    /// Types a command at the prompt; the lane is the caller's until it lets go.
    pub(crate) async fn start_run(
        &mut self,
        command: &str,
        request: &str,
        lane: Weak<()>,
    ) -> Result<u64, SessionError> {
        if let Some(typed) = self.remembered(request) {
            self.lane = lane;
            return Ok(typed.seq);
        }
        if self.lane.strong_count() > 0 {
            return Err(SessionError::Busy);
        }
        // One that was replaced (`exec zsh`) has marked its last prompt.
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_));
        if self.meta.nonce.is_none() || (!at_prompt && self.ended.is_none() && self.shell_was_replaced()) {
            return Err(SessionError::NoShell);
        }
        let command = command.trim_end_matches(['\n', '\r']);
        if command.trim().is_empty() {
            return Err(SessionError::Invalid("the command is empty".into()));
        }
        if let Verdict::Deny { reason } = self.policy.judge(command) {
            return Err(SessionError::Denied { reason });
        }
        self.drain().await;
        self.check_line_is_free()?;
        let bytes = self.encode_command(command);
        let typed = self.type_bytes(&bytes, request, true).await?;
        self.lane = lane;
        Ok(typed.seq)
    }

    /// A command and Enter. Several lines go as one paste, so that they start together, and so does what would be a key
    /// (a tab completes); a shell that takes no pastes is told by Ctrl-V that what follows is text.
    fn encode_command(&self, command: &str) -> Vec<u8> {
        if !command.contains(char::is_control) {
            return format!("{command}\r").into_bytes();
        }
        if self.vt.modes().bracketed_paste {
            return self.vt.encode_text(&format!("{command}\n"), cotty_vt::Paste::Always);
        }
        let mut typed = String::with_capacity(command.len() + 16);
        for c in command.replace("\r\n", "\n").chars() {
            if c.is_ascii_control() {
                typed.push('\u{16}');
            }
            typed.push(c);
        }
        typed.push('\r');
        typed.into_bytes()
    }

    fn check_line_is_free(&self) -> Result<(), SessionError> {
        if let Some(ended) = self.ended {
            return Err(SessionError::Exited(ended.exit_code));
        }
        let Phase::Prompt(prompt) = self.saved.commands.phase() else {
            return Err(SessionError::NotAtPrompt { program: self.foreground_name() });
        };
        let typing = self.input.waiting() > 0
            || self.last_typed.is_some_and(|at| at.elapsed() < ECHO_ARRIVES && self.typed_seq >= prompt.seq);
        if typing || self.vt.position() != prompt.position {
            return Err(SessionError::LineBegun);
        }
        Ok(())
    }

    async fn type_bytes(&mut self, bytes: &[u8], request: &str, run: bool) -> Result<Typed, SessionError> {
        if let Some(ended) = self.ended {
            return Err(SessionError::Exited(ended.exit_code));
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let mode = facts::line_mode(self.pty.get_ref());
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_));
        let shown = match at_prompt || mode.is_none_or(|mode| mode.echo) {
            true => Shown::Surely,
            false => Shown::perhaps(bytes),
        };
        // A line that is not shown leaves nothing to leave out.
        let hidden = mode.is_some_and(facts::LineMode::asks_for_secret);
        let ends = bytes.iter().filter(|&&b| !hidden && matches!(b, b'\r' | b'\n')).count();
        let lines = u32::try_from(ends).unwrap_or(u32::MAX);
        let (seq, count) = (self.vt.seq(), bytes.len() as u64);
        let to = self.input.stage(bytes)?;
        let what = What::Typed { request: request.to_owned(), bytes: count, to, lines, shown, run };
        self.hot.record(&Record { seq, what: what.clone() })?;
        self.apply(&what, now_ms());
        self.last_typed = Some(Instant::now());
        self.push_input();
        Ok(Typed { seq, bytes: count })
    }

    /// What a record does to the state: the same when it happens and when it is replayed.
    pub(crate) fn apply(&mut self, what: &What, ms: u64) {
        let seq = self.vt.seq();
        match what {
            What::Typed { request, bytes, to, lines, shown, run } => {
                self.input.accept(*to);
                self.typed_seq = seq;
                let position = self.vt.position();
                let remembered = Remembered { request: request.clone(), seq, bytes: *bytes, position };
                push_bounded(&mut self.saved.requests, remembered);
                if *lines > 0 && !self.vt.modes().alt_screen {
                    push_bounded(
                        &mut self.saved.echoes,
                        Echo { seq, position, lines: *lines, shown: shown.clone() },
                    );
                }
                if *run {
                    self.saved.commands.typed(request, Moment { position, seq, ms });
                }
            }
            What::Replied { to } => self.input.accept(*to),
            What::Resized { cols, rows } => self.vt.resize(cotty_vt::Size { cols: *cols, rows: *rows }),
            What::Marked { .. } => {}
        }
    }

    fn remembered(&self, request: &str) -> Option<Typed> {
        let known = self.saved.requests.iter().rev().find(|known| known.request == request)?;
        Some(Typed { seq: known.seq, bytes: known.bytes })
    }

    pub(crate) fn run_result(&self, request: &str) -> Result<RunResult, SessionError> {
        let Some(command) = self.saved.commands.of_request(request) else {
            return Err(SessionError::Invalid(format!("no command was typed by request {request}")));
        };
        if let Some(reason) = &command.denied {
            return Err(SessionError::Denied { reason: reason.clone() });
        }
        let excerpt = self.output_of(command);
        let begun = command.started.or(command.typed).map_or(0, |m| m.ms);
        let over = command.ended.map(|m| m.ms).or(self.ended.map(|e| e.at_ms)).unwrap_or_else(now_ms);
        let outcome = match (command.ended, self.ended) {
            (_, Some(_)) if self.saved.commands.is_last_word(command) => RunOutcome::Exited,
            (Some(_), _) => RunOutcome::Done,
            (None, Some(_)) => RunOutcome::Exited,
            (None, None) => RunOutcome::Running,
        };
        let exit_code = match outcome {
            RunOutcome::Exited => self.ended.and_then(|e| e.exit_code),
            _ => command.exit_code,
        };
        Ok(RunResult {
            outcome,
            output: excerpt.text,
            dropped: excerpt.dropped,
            exit_code,
            duration_ms: over.saturating_sub(begun),
            info: self.info(),
        })
    }

    /// Why a wait came to nothing, in words to act on.
    pub(crate) fn why_not(&self, wait: &crate::Wait) -> String {
        let waited_for_text = wait.text.is_some() || wait.regex.is_some();
        let on_screen = wait.text.as_ref().is_some_and(|needle| self.vt.screen_text().contains(needle));
        let doing = match self.activity() {
            Activity::Prompt => "the shell waits for a command".to_owned(),
            Activity::Running(Some(program)) => format!("`{program}` is still running"),
            Activity::Running(None) => "a program is still running".to_owned(),
            Activity::SecretInput => "the program asks for a secret".to_owned(),
            Activity::Exited => "the program has ended".to_owned(),
        };
        match (waited_for_text, on_screen) {
            (true, true) => {
                format!("it stands on the screen, but only in what was typed or there before; {doing}")
            }
            (true, false) => format!("it did not appear; {doing}"),
            _ => doing,
        }
    }
}
