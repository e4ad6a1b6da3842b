//! `run`: one command at the prompt, and what became of it.

use std::time::{Duration, Instant};

use cotty_protocol::ApiError;
use cotty_protocol::op::run::{Outcome, Ran};

use super::Task;
use crate::commands::Phase;
use crate::commands::result::CommandState;
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

/// A shell that is given more on one line is busy with it for minutes.
const LONGEST: usize = 1 << 20;
/// A shell that has told its prompt's end has drawn the rest of it when nothing came for this long.
const PROMPT_DRAWN: Duration = Duration::from_millis(30);
/// A program that has asked for this long gets no answer from whoever waits for its end.
const ASKS: Duration = Duration::from_millis(500);

/// The command was typed before its session lost its history.
fn not_known() -> SessionError {
    broken(
        "the session lost its history when the daemon was replaced; what became of the command is not known",
    )
}

/// A command as it may be typed: without the line ends behind it, not empty, and not too long.
fn checked(command: &str) -> Result<&str, SessionError> {
    let command = command.trim_end_matches(['\n', '\r']);
    if command.trim().is_empty() {
        return Err(invalid("the command is empty"));
    }
    if command.len() > LONGEST {
        let bytes = command.len();
        return Err(invalid(format!(
            "the command has {bytes} bytes, and a shell's line at most {LONGEST}: write a file first"
        )));
    }
    Ok(command)
}

impl Session {
    /// Runs one command in the shell and waits for its end, but not longer than `timeout`. The same request again
    /// types nothing and goes on waiting. What it answers is not new to that reader any more.
    pub async fn run(
        &self,
        command: &str,
        timeout: Duration,
        by: &Typist,
        reader: &str,
        retry_id: &str,
    ) -> Result<RunResult, SessionError> {
        // Held until the end: as long as it lives, nobody else types.
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
        let (command, timeout) = (Some(retry_id.to_owned()), Some(timeout.saturating_sub(began.elapsed())));
        let wait = Conditions { command, asks: Some(ASKS), timeout, ..Conditions::default() };
        self.wait_until(wait).await?;
        let (run, reader) = (retry_id.to_owned(), reader.to_owned());
        let result = self.ask(|reply| Request::RunResult { run, reader, reply }).await?;
        drop(lease);
        result.map(|mut result| {
            result.info.keyboard.returned = result.info.keyboard.returned.or(typed.returned);
            result
        })
    }
}

impl Task {
    /// Types a command at the prompt; nobody else types as long as the call lives.
    pub(super) async fn start_run(
        &mut self,
        command: &str,
        retry_id: &str,
        by: &Typist,
        call: &LeaseRef,
    ) -> Result<Typed, SessionError> {
        if let Some(typed) = self.typing.remembered(retry_id) {
            if self.lost.is_some() && self.commands.by_retry_id(retry_id).is_none() {
                return Err(not_known());
            }
            self.typing.take_lease(Some(call));
            return Ok(typed);
        }
        self.typing.lease().check(None, Instant::now())?;
        // One that was replaced (`exec zsh`) has marked its last prompt.
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
        self.check_lives()?;
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

    /// Tells a reader what the command of a `run` said so far, and notes that it did.
    pub(super) async fn answer_run(
        &mut self,
        run: &str,
        reader: &str,
        reply: Reply<Result<RunResult, SessionError>>,
    ) {
        let _ = self.make_room().await;
        let mut result = self.run_result(run);
        // Who has gone is told nothing.
        if let Ok(result) = &mut result
            && !reply.is_closed()
        {
            // Where it cannot be written down, the next daemon gives this reader more than it needs.
            let what = RecordKind::Answered { reader: reader.to_owned(), run: run.to_owned() };
            self.record_if_possible(&what, 0);
            result.lost = self.readers.news(self.lost.as_ref(), reader);
        }
        let _ = reply.send(result);
    }

    fn run_result(&mut self, retry_id: &str) -> Result<RunResult, SessionError> {
        self.commands.end_unmarked();
        let Some(command) = self.commands.by_retry_id(retry_id) else {
            return Err(match self.lost {
                Some(_) => not_known(),
                None => invalid(format!("no command was typed by request {retry_id}")),
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
        // The shell has taken a line, started nothing, and reads on: a quote or a block is open.
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
