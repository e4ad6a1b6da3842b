//! `run`: one command at the prompt, and what became of it.

use std::time::Duration;

use cotty_protocol::ApiError;

use crate::commands::{Command, Moment, Phase};
use crate::durable::journal::Source;
use crate::error::{broken, exited, invalid};
use crate::handle::{RunOutcome, RunResult, Typed};
use crate::hub::meta::{Typist, now_ms};
use crate::input::lease::Taken;
use crate::task::Task;
use crate::wait::Conditions;
use crate::{Activity, SessionError, Verdict};

/// A shell that is given more on one line is busy with it for minutes.
const LONGEST: usize = 1 << 20;
/// How long a shell that is on its way to its prompt is waited for.
pub(crate) const PROMPT_COMES: Duration = Duration::from_secs(2);
/// How long a program may take to end that was just told to.
const LEAVES: Duration = Duration::from_millis(500);

/// The command was typed before its session lost its history.
fn not_known() -> SessionError {
    let message =
        "the session lost its history when the daemon was replaced; what became of the command is not known";
    broken(message)
}

impl Task {
    /// Types a command at the prompt; the lane is the caller's until it lets go.
    pub(crate) async fn start_run(
        &mut self,
        command: &str,
        request: &str,
        by: &Typist,
        lane: &Taken,
    ) -> Result<Typed, SessionError> {
        if let Some(typed) = self.remembered(request) {
            if self.saved.lost.is_some() && self.saved.commands.of_request(request).is_none() {
                return Err(not_known());
            }
            self.take_lane(Some(lane));
            return Ok(typed);
        }
        self.check_lane(None)?;
        // One that was replaced (`exec zsh`) has marked its last prompt.
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_));
        if self.meta.nonce.is_none() || (!at_prompt && self.ended.is_none() && self.shell_was_replaced()) {
            return Err(ApiError::NoShell.into());
        }
        let command = command.trim_end_matches(['\n', '\r']);
        if command.trim().is_empty() {
            return Err(invalid("the command is empty"));
        }
        if command.len() > LONGEST {
            let bytes = command.len();
            let message = format!(
                "the command has {bytes} bytes, and a shell's line at most {LONGEST}: write a file first"
            );
            return Err(invalid(message));
        }
        if let Verdict::Deny { reason } = self.policy.judge(command) {
            return Err(ApiError::PolicyDenied { reason }.into());
        }
        self.drain().await;
        self.check_keyboard(by)?;
        self.check_secret(by, None).await?;
        self.check_line_is_free()?;
        let bytes = self.encode_command(command);
        let typed = self.type_bytes(&bytes, Source::Request(request.to_owned()), by, true).await?;
        self.take_lane(Some(lane));
        Ok(typed)
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

    fn check_line_is_free(&mut self) -> Result<(), SessionError> {
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        let Phase::Prompt(prompt) = self.saved.commands.phase() else {
            return Err(self.not_at_prompt());
        };
        if !self.shell_waits() {
            return Err(self.not_at_prompt());
        }
        self.settle_unread();
        if self.line_is_begun(prompt) {
            return Err(ApiError::LineStarted { entered: self.prompt().is_none() }.into());
        }
        Ok(())
    }

    fn not_at_prompt(&self) -> SessionError {
        let commands = &self.saved.commands;
        let comes = commands.phase() != Phase::Running || commands.comes_to_prompt();
        let leaves = || self.last_typed.map_or(Duration::ZERO, |at| LEAVES.saturating_sub(at.elapsed()));
        let soon = if comes { PROMPT_COMES } else { leaves() };
        SessionError::NotAtPrompt { activity: self.activity(), soon }
    }

    pub(crate) fn run_result(&mut self, request: &str) -> Result<RunResult, SessionError> {
        self.saved.commands.end_unmarked();
        let Some(command) = self.saved.commands.of_request(request) else {
            return Err(match self.saved.lost {
                Some(_) => not_known(),
                None => invalid(format!("no command was typed by request {request}")),
            });
        };
        if let Some(reason) = &command.denied {
            return Err(ApiError::PolicyDenied { reason: reason.clone() }.into());
        }
        let excerpt = self.output_of(command);
        let begun = command.started.or(command.typed).map_or(0, |m| m.ms);
        let since = command.typed.or(command.started).map_or(0, |m| m.seq);
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
            since,
            images: self.images.between(since, command.ended.map_or(u64::MAX, |m| m.seq)),
            exit_code,
            duration_ms: over.saturating_sub(begun),
            incomplete: outcome == RunOutcome::Running && self.line_goes_on(command),
            lost: None,
            info: self.info(),
        })
    }

    /// Whether the shell has taken a line, started nothing, and reads on: a quote or a block is open.
    fn line_goes_on(&self, command: &Command) -> bool {
        let taken = command.text.is_none() && command.started.is_none();
        taken && self.shell_has_the_terminal() && self.asks()
    }

    /// Whether something typed stands between the prompt and the cursor: what a job in the background says there is none.
    /// A prompt that fills its row leaves the cursor on the next.
    pub(crate) fn line_is_begun(&self, prompt: Moment) -> bool {
        let cursor = self.vt.position();
        self.typed_at(prompt)
            && cursor != prompt.position
            && (cursor.line < prompt.position.line
                || !self.vt.text_between(prompt.position, cursor).text.trim().is_empty()
                || cursor.line == prompt.position.line)
    }

    /// Whether anybody typed at this prompt, or ahead of it and without Enter while the command before it ran.
    fn typed_at(&self, prompt: Moment) -> bool {
        let Some(typed) = self.saved.typed_seq else { return false };
        let entered = self.saved.echoes.back().is_some_and(|echo| echo.seq == typed);
        let last = self.saved.commands.newest_first().next();
        let ran = last.is_none_or(|last| {
            last.started.is_none_or(|started| started.seq <= typed)
                && last.ended.is_none_or(|ended| ended.seq >= typed)
        });
        typed >= prompt.seq || (!entered && ran)
    }

    /// Why a wait came to nothing, in words to act on.
    pub(crate) fn why_not(&self, wait: &Conditions) -> String {
        let waited_for_text = wait.text.is_some() || wait.regex.is_some();
        let on_screen = wait.text.as_ref().is_some_and(|needle| self.vt.screen_text().contains(needle));
        let doing = match self.activity() {
            Activity::Prompt => "the shell waits for a command".to_owned(),
            Activity::Running { program } => format!("{} is still running", named(program)),
            Activity::WaitingForInput { program } if self.vt.modes().alt_screen => {
                format!("{} is shown on the whole screen and waits for keys", named(program))
            }
            Activity::WaitingForInput { program } => {
                format!("{} is still running and waits for input", named(program))
            }
            Activity::Pager { program } => {
                format!("`{program}` shows its text page by page: space goes on, q leaves it")
            }
            Activity::Editor { program } => format!("`{program}`, an editor, is open"),
            Activity::SecretInput => "the program asks for a secret".to_owned(),
            Activity::SecretSuspected => "what is shown looks like a question for a secret".to_owned(),
            Activity::Exited => "the program has ended".to_owned(),
        };
        let doing = match self.saved.keyboard.held() {
            Some(held) => format!("{doing}; a person has the keyboard ({})", held.name),
            None => doing,
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

fn named(program: Option<String>) -> String {
    program.map_or_else(|| "a program".to_owned(), |program| format!("`{program}`"))
}
