//! `run`: types one command at the prompt and returns its result.

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::op::run::{Outcome, Ran};

use super::Task;
use crate::commands::Phase;
use crate::commands::result::CommandState;
use crate::counts::{self, Counted};
use crate::durable::journal::{RecordKind, Source};
use crate::error::{broken, invalid};
use crate::handle::{RunResult, Session, Typed};
use crate::hub::meta::{Typist, now_ms};
use crate::input::encode::command_line;
use crate::input::lease::{InputLease, LeaseRef};
use crate::request::{Reply, Request};
use crate::wait::Conditions;
use crate::wait::facts::Facts;
use crate::wait::prompt::PROMPT_COMES;
use crate::{SessionError, Verdict};

/// Longest command, in bytes. A shell needs minutes for a longer line.
const LONGEST: usize = 1 << 20;
/// After it marked its prompt's end, a shell has drawn the rest once it is silent for this long.
const PROMPT_DRAWN: Duration = Duration::from_millis(30);
/// `run` returns once the program has waited for input for this long: its caller has to type it.
const ASKS: Duration = Duration::from_millis(500);

/// The error for a command that was typed before its session lost its history.
fn result_unknown() -> SessionError {
    broken("the session lost its history when the daemon was replaced; the command's result is unknown")
}

/// Checks a command, and removes the line ends after it.
fn checked(command: &str) -> Result<&str, SessionError> {
    let command = command.trim_end_matches(['\n', '\r']);
    if command.trim().is_empty() {
        return Err(invalid("the command is empty"));
    }
    if command.len() > LONGEST {
        let bytes = command.len();
        return Err(invalid(format!(
            "the command has {bytes} bytes; the limit is {LONGEST}: write it to a file and run that"
        )));
    }
    Ok(command)
}

/// When a `run` is answered: its command has ended, the program asks for input, or the time is over.
pub(super) fn run_end(run: &str, timeout: Duration) -> Conditions {
    let (command, timeout) = (Some(run.to_owned()), Some(timeout));
    Conditions { command, asks: Some(ASKS), timeout, ..Conditions::default() }
}

impl Session {
    /// Runs one command in the shell and waits until it ends, at most `timeout`. A retry types nothing and continues to wait.
    /// The output that it returns is no longer new to that reader.
    pub async fn run(
        &self,
        command: &str,
        timeout: Duration,
        by: &Typist,
        reader: &str,
        retry_id: &str,
    ) -> Result<RunResult, SessionError> {
        // Held until the end: meanwhile no other agent call can type.
        let lease = InputLease::of_command(command);
        let start = || {
            let (command, retry_id) = (command.to_owned(), retry_id.to_owned());
            let (lease, by) = (lease.reference(), by.clone());
            self.ask(|reply| Request::Run { command, retry_id, by, lease, reply })
        };
        let (began, mut drawn) = (Instant::now(), false);
        let typed = loop {
            let left = timeout.min(PROMPT_COMES).saturating_sub(began.elapsed());
            match start().await? {
                // The cursor is not where the prompt ends: perhaps only because a right prompt is being drawn.
                Err(SessionError::Refused(ApiError::LineStarted { .. })) if !drawn => {
                    let (idle, timeout) = (Some(PROMPT_DRAWN), Some(10 * PROMPT_DRAWN));
                    self.wait_until(Conditions { idle, timeout, ..Conditions::default() }).await?;
                    drawn = true;
                }
                Err(SessionError::NotAtPrompt { soon, .. }) if !soon.is_zero() && !left.is_zero() => {
                    let timeout = Some(soon.min(left));
                    self.wait_until(Conditions { shell: true, timeout, ..Conditions::default() }).await?;
                }
                started => break started?,
            }
        };
        let (run, reader) = (retry_id.to_owned(), reader.to_owned());
        let timeout = timeout.saturating_sub(began.elapsed());
        let counted = Counted::new(&counts::WAITS);
        let result = self.ask(|reply| Request::RunEnd { run, timeout, reader, reply }).await?;
        drop((counted, lease));
        result.map(|mut result| {
            result.info.keyboard.returned = result.info.keyboard.returned.or(typed.returned);
            result
        })
    }
}

impl Task {
    /// Types a command at the prompt, and takes the input lease for the call.
    pub(super) async fn start_run(
        &mut self,
        command: &str,
        retry_id: &str,
        by: &Typist,
        call: &LeaseRef,
    ) -> Result<Typed, SessionError> {
        if let Some(typed) = self.typing.remembered(retry_id) {
            if self.lost.is_some() && self.commands.by_retry_id(retry_id).is_none() {
                return Err(result_unknown());
            }
            self.typing.take_lease(Some(call));
            return Ok(typed);
        }
        self.typing.lease().check(None, Instant::now())?;
        // A shell that was replaced (`exec zsh`) marks no more prompts.
        let at_prompt = matches!(self.commands.phase(), Phase::Prompt(_));
        let was_replaced = || !at_prompt && self.ended.is_none() && self.program().was_replaced();
        if self.meta.nonce.is_none() || was_replaced() {
            return Err(ApiError::NoShell.into());
        }
        let command = checked(command)?;
        if let Verdict::Deny { reason } = self.gate.judge(command) {
            return Err(ApiError::PolicyDenied { reason }.into());
        }
        self.drain().await;
        self.check_keyboard(by)?;
        self.check_secret(by, None).await?;
        self.check_line_is_free()?;
        let bytes = command_line(&self.vt, command);
        let typed = self.type_bytes(&bytes, Source::Request(retry_id.to_owned()), by, true).await?;
        self.typing.take_lease(Some(call));
        Ok(typed)
    }

    fn check_line_is_free(&mut self) -> Result<(), SessionError> {
        self.check_not_exited()?;
        let prompt = match self.commands.phase() {
            Phase::Prompt(prompt) if self.observe_now().shell_waits() => prompt,
            _ => {
                let observation = self.observe_now();
                let (activity, soon) = (observation.activity(), observation.prompt_comes_in());
                return Err(SessionError::NotAtPrompt { activity, soon });
            }
        };
        self.settle_unread();
        let observation = self.observe_now();
        match observation.line_is_started(prompt) {
            true => Err(ApiError::LineStarted { entered: observation.prompt().is_none() }.into()),
            false => Ok(()),
        }
    }

    /// Returns a command's output to a reader, up to now, and records that.
    pub(super) async fn answer_run(
        &mut self,
        run: &str,
        reader: &str,
        reply: Reply<Result<RunResult, SessionError>>,
    ) {
        let _ = self.make_room().await;
        let mut result = self.run_result(run);
        // A caller that has disconnected gets no answer.
        if let Ok(result) = &mut result
            && !reply.is_closed()
        {
            // If this cannot be recorded, the next daemon may repeat output to this reader.
            let what = RecordKind::Answered { reader: reader.to_owned(), run: run.to_owned() };
            self.record_if_possible(&what, 0);
            result.lost = self.readers.unreported_loss(self.lost.as_ref(), reader);
        }
        let _ = reply.send(result);
    }

    fn run_result(&mut self, retry_id: &str) -> Result<RunResult, SessionError> {
        self.commands.end_unmarked();
        let Some(command) = self.commands.by_retry_id(retry_id) else {
            return Err(match self.lost {
                Some(_) => result_unknown(),
                None => invalid(format!("request {retry_id} typed no command")),
            });
        };
        let result = self.screen().result_of(command, self.ended, now_ms());
        let outcome = match result.state {
            CommandState::Denied(reason) => return Err(ApiError::PolicyDenied { reason }.into()),
            CommandState::Done => Outcome::Done,
            CommandState::Running => Outcome::Running,
            CommandState::Exited => Outcome::Exited,
        };
        let since = command.typed.or(command.started).map_or(0, |moment| moment.seq);
        let until = command.ended.map_or(u64::MAX, |moment| moment.seq);
        // The shell has read a line, started nothing, and reads more: a quote or a block is open.
        let taken = command.text.is_none() && command.started.is_none();
        let observation = self.observe_now();
        let incomplete = outcome == Outcome::Running
            && taken
            && observation.shell_has_the_terminal()
            && observation.asks();
        let info = self.info();
        let ran = Ran {
            outcome,
            output: result.output.text,
            left_out: None,
            exit_code: result.exit_code,
            signal: info.ended.and_then(|ended| ended.signal),
            duration_ms: result.duration_ms,
            cwd: info.cwd.clone(),
            images: self.readers.images(since, until),
            dropped_lines: result.output.dropped,
        };
        Ok(RunResult { ran, since, incomplete, lost: None, info })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_checked_before_it_is_typed() {
        assert_eq!(checked("ls\r\n\n").unwrap(), "ls");
        assert_eq!(checked("  a\n b").unwrap(), "  a\n b");
        for wrong in ["", " \n", &"x".repeat(LONGEST + 1)] {
            assert!(matches!(checked(wrong), Err(SessionError::Refused(ApiError::Invalid { .. }))));
        }
    }
}
