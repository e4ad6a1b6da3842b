//! What a caller can do next, as data. Each face words a [`Step`] in terms of its own tools or commands, and leaves out steps that
//! its caller cannot take.

use std::borrow::Cow;
use std::fmt;

use crate::error::ApiError;
use crate::op::Activity;

/// One thing that a caller can do. Its text names no tool and no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A fixed text, the same in every face.
    Say(Cow<'static, str>),
    /// Use this name instead.
    DidYouMean(String),
    /// Choose one of these.
    Choose(Vec<String>),
    /// List the sessions.
    ListSessions,
    /// Use one of the caller's own sessions.
    UseOwnSession,
    /// End one of these sessions, which have been idle longest.
    EndIdleSessions(Vec<String>),
    /// Create another session.
    CreateSession,
    /// Create a session whose shell marks its commands.
    CreateShellSession,
    /// Destroy the session.
    DestroySession,
    /// Show the session's state.
    InspectSession,
    /// Read the recording of a destroyed session.
    ReadRecording,
    /// Read the last screen of a program that has ended.
    ReadLastScreen,
    /// Read the screen.
    ReadScreen,
    /// Read the new output.
    ReadNew,
    /// Continue to read or wait from this seq.
    ContinueFrom(u64),
    /// Read a session that has no commands.
    ReadWithoutCommands(String),
    /// Run a command.
    RunCommand,
    /// Wait until the shell waits for a command.
    WaitForPrompt,
    /// Wait until the program ends or prints something.
    WaitForProgram,
    /// Wait for a text: cotty cannot observe anything else.
    WaitForText,
    /// Wait until no person has the keyboard.
    WaitForKeyboard,
    /// Take the keyboard.
    TakeKeyboard,
    /// Interrupt the program.
    Interrupt,
    /// Type into the program.
    Type,
    /// Show the next page.
    NextPage,
    /// Leave a pager.
    LeavePager,
    /// Leave an editor.
    LeaveEditor,
    /// Leave a shell or an interpreter.
    LeaveInterpreter,
    /// Leave a program that runs terminals of its own.
    LeaveInner,
    /// Type the rest of an unfinished command.
    FinishLine,
    /// Drop an unfinished command.
    DropLine,
    /// Clear the command line.
    ClearLine,
    /// Run the command line as it is.
    EnterLine,
    /// Type and read, in a session without commands.
    TypeAndRead,
    /// Ask a person to type a secret.
    AskForSecret,
    /// Cancel the prompt for a secret.
    LeaveSecret,
    /// Wait until the other call ends.
    LetCallEnd,
    /// Give a program's path.
    GivePath,
    /// Use this parameter, which takes plain text, instead of a pattern.
    GiveLiteral(String),
    /// Give something to type.
    GiveInput,
    /// Stop the capture.
    StopCapture,
    /// Start a capture.
    StartCapture,
    /// Write all output to a file.
    CaptureToFile,
    /// List the open hand-off requests.
    ListRequests,
    /// Wait for this hand-off request, or withdraw it.
    WaitForRequest(String),
    /// Make a full token.
    MakeToken,
    /// Get a token.
    GetToken,
    /// List the tokens.
    ListTokens,
    /// Try again.
    TryAgain,
    /// Open a panel.
    OpenPanel,
    /// Open a window.
    OpenWindow,
}

impl Step {
    /// A fixed text, the same in every face.
    pub fn say(text: impl Into<Cow<'static, str>>) -> Step {
        Step::Say(text.into())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Say(text) => text,
            Step::DidYouMean(name) => return write!(f, "did you mean `{name}`?"),
            Step::Choose(names) => return write!(f, "choose one of: {}", names.join(", ")),
            Step::ListSessions => "list the sessions",
            Step::UseOwnSession => "list the sessions and use one of your own",
            Step::EndIdleSessions(idle) => {
                return write!(
                    f,
                    "end one that is no longer needed, longest idle first: {}",
                    idle.join(", ")
                );
            }
            Step::CreateSession => "create another session",
            Step::CreateShellSession => "create a session with bash, zsh or fish",
            Step::DestroySession => "destroy it",
            Step::InspectSession => "check the session's state",
            Step::ReadRecording => "read its recording",
            Step::ReadLastScreen => "read its last screen",
            Step::ReadScreen => "read the screen",
            Step::ReadNew => "read the new output",
            Step::ContinueFrom(seq) => return write!(f, "continue with since {seq}"),
            Step::ReadWithoutCommands(_) => "read the session or its recording instead",
            Step::RunCommand => "run a command",
            Step::WaitForPrompt => "wait for the prompt",
            Step::WaitForProgram => "wait for it",
            Step::WaitForText => "wait for text",
            Step::WaitForKeyboard => "wait for the keyboard",
            Step::TakeKeyboard => "take the keyboard first",
            Step::Interrupt => "interrupt the program with ctrl+c",
            Step::Type => "type into it",
            Step::NextPage => "show the next page with space",
            Step::LeavePager => "leave it with q",
            Step::LeaveEditor => "leave it with its own command",
            Step::LeaveInterpreter => {
                "leave it first: a shell or an interpreter with `exit` or ctrl+d, most others with ctrl+c"
            }
            Step::LeaveInner => "leave it first",
            Step::FinishLine => "type the rest",
            Step::DropLine => "drop it with ctrl+c",
            Step::ClearLine => "clear it with ctrl+u",
            Step::EnterLine => "run it with enter",
            Step::TypeAndRead => "type and read instead",
            Step::AskForSecret => "ask a person to type it",
            Step::LeaveSecret => "cancel the prompt with ctrl+c",
            Step::LetCallEnd => "wait for that call to end, or cancel it",
            Step::GivePath => "give the program's path, or set PATH in env",
            Step::GiveLiteral(parameter) => return write!(f, "use {parameter} instead of regex"),
            Step::GiveInput => "give text or a key",
            Step::StopCapture => "stop that capture first",
            Step::StartCapture => "start a capture first",
            Step::CaptureToFile => "capture later output to a file",
            Step::ListRequests => "list the hand-off requests",
            Step::WaitForRequest(id) => return write!(f, "wait for request {id}, or withdraw it first"),
            Step::MakeToken => "make a full token with `cotty token new NAME`",
            Step::GetToken => {
                "open the link that `cotty status` prints, or make a token with `cotty token new`"
            }
            Step::ListTokens => "list the tokens with `cotty token list`",
            Step::TryAgain => "try again",
            Step::OpenPanel => "write to a panel to open it",
            Step::OpenWindow => "open a window",
        })
    }
}

/// Steps that a caller can choose from, and the situation if the error does not name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clause {
    /// What the session is doing.
    pub situation: Option<String>,
    /// The steps, best first.
    pub steps: Vec<Step>,
}

/// What a caller can do next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice(pub Vec<Clause>);

impl<const N: usize> From<[Step; N]> for Advice {
    fn from(steps: [Step; N]) -> Advice {
        Advice(vec![Clause { situation: None, steps: steps.into() }])
    }
}

impl Advice {
    /// Adds a clause with these steps.
    #[must_use]
    pub fn and<const N: usize>(mut self, steps: [Step; N]) -> Advice {
        self.0.extend(Advice::from(steps).0);
        self
    }

    /// What to do about a session in this state, if repeating the call would not help.
    pub fn for_session(activity: &Activity, nested: bool, held_by: Option<&str>) -> Advice {
        if let Some(person) = held_by {
            let situation = Some(format!("{person} has the keyboard"));
            return Advice(vec![Clause { situation, steps: vec![Step::WaitForKeyboard] }]);
        }
        let (program, steps) = match activity {
            Activity::Running { program } if nested => {
                (program.as_deref(), vec![Step::ReadScreen, Step::Type, Step::WaitForText])
            }
            Activity::Running { program } => {
                (program.as_deref(), vec![Step::WaitForProgram, Step::Interrupt])
            }
            Activity::WaitingForInput { program } => (program.as_deref(), vec![Step::ReadScreen, Step::Type]),
            Activity::Pager { program } => {
                (Some(program.as_str()), vec![Step::ReadScreen, Step::NextPage, Step::LeavePager])
            }
            Activity::Editor { program } => {
                (Some(program.as_str()), vec![Step::ReadScreen, Step::Type, Step::LeaveEditor])
            }
            Activity::Prompt => (None, vec![Step::RunCommand]),
            Activity::SecretInput | Activity::SecretSuspected => {
                (None, vec![Step::AskForSecret, Step::LeaveSecret])
            }
            Activity::Exited => (None, vec![Step::DestroySession]),
        };
        let program = program.unwrap_or("the program");
        let situation = match activity {
            Activity::Running { .. } if nested => format!("cotty cannot see what runs inside {program}"),
            Activity::Running { .. } => format!("{program} is running"),
            Activity::WaitingForInput { .. } => format!("{program} waits for input"),
            Activity::Pager { .. } => format!("{program} shows a page"),
            Activity::Editor { .. } => format!("{program} is an editor"),
            Activity::Prompt => "the shell waits for a command".to_owned(),
            Activity::SecretInput | Activity::SecretSuspected => {
                "the program asks for a secret, which only a person may type".to_owned()
            }
            Activity::Exited => "the program has ended".to_owned(),
        };
        Advice(vec![Clause { situation: Some(situation), steps }])
    }

    /// The text, with each step worded by `say`. Steps that `say` cannot word are left out; `None` if nothing remains.
    pub fn in_words(&self, mut say: impl FnMut(&Step) -> Option<String>) -> Option<String> {
        let clauses = self.0.iter().filter_map(|clause| {
            let steps: Vec<String> = clause.steps.iter().filter_map(&mut say).collect();
            let steps = alternatives(&steps);
            match (&clause.situation, steps.is_empty()) {
                (Some(situation), true) => Some(situation.clone()),
                (Some(situation), false) => Some(format!("{situation}: {steps}")),
                (None, true) => None,
                (None, false) => Some(steps),
            }
        });
        let clauses: Vec<String> = clauses.collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }
}

/// `a`, `a, or b`, `a, b, or c`.
fn alternatives(steps: &[String]) -> String {
    match steps {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}, or {last}", first.join(", ")),
    }
}

/// What a session is doing, as the end of a sentence.
pub(super) fn doing(activity: &Activity, nested: bool) -> String {
    match activity {
        Activity::Running { program: Some(program) } if nested => {
            format!(": `{program}` is running and has terminals of its own")
        }
        Activity::Running { program: Some(program) } => format!(": `{program}` is running"),
        Activity::WaitingForInput { program: Some(program) } => {
            format!(": `{program}` is running and waits for input")
        }
        Activity::Pager { program } => format!(": `{program}` is running and shows a page"),
        Activity::Editor { program } => format!(": `{program}`, an editor, is running"),
        _ => String::new(),
    }
}

/// How to get back to the shell's prompt.
fn reach_prompt(activity: &Activity, nested: bool) -> Advice {
    match activity {
        Activity::WaitingForInput { .. } => [Step::Type, Step::LeaveInterpreter].into(),
        Activity::Pager { .. } => [Step::LeavePager].into(),
        Activity::Editor { .. } => [Step::LeaveEditor].into(),
        Activity::Running { .. } if nested => [Step::Type, Step::ReadScreen, Step::LeaveInner].into(),
        _ => [Step::WaitForPrompt, Step::Interrupt].into(),
    }
}

const ESCAPE: &str = "escape special characters with `\\`";

impl ApiError {
    /// What the caller can do next.
    #[expect(clippy::too_many_lines, reason = "a flat match, one arm for each error")]
    pub fn advice(&self) -> Advice {
        let say = |text: &'static str| Advice::from([Step::say(text)]);
        match self {
            ApiError::SessionNotFound { near: Some(near), .. }
            | ApiError::UnknownKey { near: Some(near), .. }
            | ApiError::UnknownParameter { near: Some(near), .. }
            | ApiError::WrongParameter { near: Some(near), .. } => [Step::DidYouMean(near.clone())].into(),
            ApiError::SessionNotFound { .. } => [Step::ListSessions].into(),
            ApiError::SessionDestroyed { .. } => [Step::CreateSession, Step::ReadRecording].into(),
            ApiError::MaxSessions { idle, .. } => [Step::EndIdleSessions(idle.clone())].into(),
            ApiError::BadName { .. } => say(
                "a name has 1 to 64 letters (a to z), digits, `-`, `_` and `.`, and is not a number, `active`, or like cotty's own ids (`sess_…`, `win_3`)",
            ),
            ApiError::NameTaken { name } => {
                let text =
                    format!("choose another name: `{name}` is free again when that session is destroyed");
                [Step::say(text)].into()
            }
            ApiError::ProgramNotFound { program, .. } if program.contains(' ') => {
                say("program must be only a name or path: put arguments into args")
            }
            ApiError::ProgramNotFound { .. } => [Step::GivePath].into(),
            ApiError::Directory { .. } => say("give a directory that exists and that you may enter"),
            ApiError::Pty { .. } => say(
                "destroy sessions that are no longer needed; the sysctl `kernel.pty.max` limits the terminals of this machine",
            ),
            ApiError::OpenFiles { .. } => {
                say("destroy sessions that are no longer needed, or start cotty with a higher `ulimit -Hn`")
            }
            ApiError::Processes => say(
                "end programs that are no longer needed; `ulimit -u` shows the limit of processes for this user",
            ),
            ApiError::Io { .. } | ApiError::Keeper { .. } => [Step::TryAgain].into(),
            ApiError::Broken { .. } | ApiError::Policy { .. } => {
                [Step::InspectSession, Step::CreateSession].into()
            }
            ApiError::Exited { .. } => {
                [Step::ReadLastScreen, Step::DestroySession, Step::CreateSession].into()
            }
            ApiError::Busy { .. } => [Step::LetCallEnd].into(),
            ApiError::KeyboardHeld { ends_in_ms: Some(ms), .. } => {
                let seconds = ms.div_ceil(1000);
                Advice::from([Step::WaitForKeyboard]).and([Step::say(format!(
                    "the keyboard is free in {seconds} s if the person types nothing more"
                ))])
            }
            ApiError::KeyboardHeld { ends_in_ms: None, .. } => {
                [Step::WaitForKeyboard, Step::say("ask the person to give it back")].into()
            }

            ApiError::KeyboardNotYours => [Step::TakeKeyboard].into(),
            ApiError::NotAPerson => say("ask the person to do it"),
            ApiError::SecretInput { .. } => [Step::AskForSecret, Step::LeaveSecret].into(),
            ApiError::UnknownKey { .. } => {
                say("keys are `enter`, `up`, `f5`, … or one character, with ctrl, alt and shift")
            }
            ApiError::UnknownModifier { key: Some(key) } => [Step::DidYouMean(format!("ctrl+{key}"))].into(),
            ApiError::UnknownModifier { key: None } => say("use ctrl, alt or shift"),
            ApiError::MouseOff { .. } => say("use keys instead"),
            ApiError::LabelNotFound { .. } => {
                Advice::from([Step::ReadScreen]).and([Step::say("give the label exactly as shown")])
            }
            ApiError::NotYours { .. } => [Step::UseOwnSession].into(),
            ApiError::NotAtPrompt { activity, nested } => reach_prompt(activity, *nested),
            ApiError::LineStarted { entered: true } => [Step::FinishLine, Step::DropLine].into(),
            ApiError::LineStarted { entered: false } => [Step::ClearLine, Step::EnterLine].into(),
            ApiError::NoShell => [Step::TypeAndRead, Step::CreateShellSession].into(),
            ApiError::NoCommands { session } => {
                Advice::from([Step::say("only bash, zsh and fish have commands")])
                    .and([Step::ReadWithoutCommands(session.clone())])
            }
            ApiError::NoSuchCommand { total, .. } => {
                [Step::say(format!("commands are numbered from 1; the newest is {total}"))].into()
            }
            ApiError::PolicyDenied { .. } => say("do it another way, or ask a person"),
            ApiError::InvalidPattern { literal: Some(parameter), .. } => {
                [Step::say(ESCAPE), Step::GiveLiteral(parameter.clone())].into()
            }
            ApiError::InvalidPattern { literal: None, .. } => say(ESCAPE),
            ApiError::CaptureRunning { .. } => [Step::StopCapture].into(),
            ApiError::NoCapture => [Step::StartCapture].into(),
            ApiError::AlreadyAsked { id, .. } => [Step::WaitForRequest(id.clone())].into(),
            ApiError::OtherAsked => say("ask again when that request has ended"),
            ApiError::RequestNotFound { .. } => {
                Advice::from([Step::ListRequests]).and([Step::say("ended requests are kept for ten minutes")])
            }
            ApiError::RequestEnded { .. } => [Step::ListRequests].into(),
            ApiError::NoRecording { .. } => {
                say("give the session's id; old recordings are deleted (`recording.keep`)")
            }
            ApiError::RecordingLive => {
                say("destroy it first, or use `live` to delete all but the newest part")
            }
            ApiError::WaitTimeout { activity, nested, held_by, seq, .. } => {
                Advice::for_session(activity, *nested, held_by.as_deref())
                    .and([Step::ReadNew])
                    .and([Step::ContinueFrom(*seq)])
            }
            ApiError::RetryIdReused { .. } => {
                say("use a new id for each request; repeat an id only with the same request")
            }
            ApiError::ReadOnly => [Step::MakeToken].into(),
            ApiError::ChildNotAllowed => say("do it from outside the session, or ask a person"),
            ApiError::BadToken => [Step::GetToken].into(),
            ApiError::BadTokenName { .. } => say("a name has 1 to 64 letters, digits, `-` and `_`"),
            ApiError::TokenExists { .. } => say("choose another name, or revoke that token first"),
            ApiError::TokenNotFound { .. } => [Step::ListTokens].into(),
            ApiError::UnknownOperation { known, .. }
            | ApiError::UnknownChoice { known, .. }
            | ApiError::WhichPanel { known } => [Step::Choose(known.clone())].into(),
            ApiError::NoPanel { known, .. } if known.is_empty() => [Step::OpenPanel].into(),
            ApiError::NoWindow { known, .. } if known.is_empty() => [Step::OpenWindow].into(),
            ApiError::NoPanel { known, .. } | ApiError::NoWindow { known, .. } => {
                [Step::Choose(known.clone())].into()
            }
            ApiError::UnknownRoute { .. } => say("`GET /v1/openapi.json` lists the routes"),
            ApiError::WrongMethod { .. } => say("`GET /v1/openapi.json` lists the methods of each path"),
            ApiError::TooLarge { .. } => say("send it in several parts"),
            ApiError::UnknownParameter { known, .. } if known.is_empty() => {
                say("leave it out: there are no parameters here")
            }
            ApiError::UnknownParameter { known, .. } => [Step::Choose(known.clone())].into(),
            ApiError::NoInput { .. } => [Step::GiveInput].into(),
            ApiError::Invalid { instead: Some(instead), .. } => [Step::say(instead.clone())].into(),
            ApiError::TooManyLines { .. } => {
                [Step::say("read them in several calls"), Step::CaptureToFile].into()
            }
            ApiError::NoMcpSession => say("start a new one with `initialize`"),
            ApiError::BadVariable { .. } => say("correct it in the environment of the calling process"),
            ApiError::UnreadAnswers => say("read the answers or close the connections, then try again"),
            ApiError::Step { error, .. } | ApiError::PartlyTyped { error, .. } => error.advice(),
            ApiError::MissingParameter { .. }
            | ApiError::WrongParameter { .. }
            | ApiError::Invalid { instead: None, .. }
            | ApiError::Unauthorized { .. }
            | ApiError::ShuttingDown => Advice::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(advice: &Advice) -> String {
        advice.in_words(|step| Some(step.to_string())).unwrap_or_default()
    }

    #[test]
    fn steps_are_alternatives_and_clauses_follow_each_other() {
        let advice = Advice::from([Step::say("a"), Step::say("b"), Step::say("c")]).and([Step::say("d")]);
        assert_eq!(plain(&advice), "a, b, or c; d");
        assert_eq!(plain(&[Step::say("a"), Step::say("b")].into()), "a, or b");
        assert_eq!(plain(&Advice::default()), "");
    }

    #[test]
    fn a_step_without_words_is_left_out() {
        let only = |wanted: Step| move |step: &Step| (*step == wanted).then(|| step.to_string());
        let advice = ApiError::Exited { exit_code: Some(0) }.advice();
        assert_eq!(advice.in_words(only(Step::DestroySession)).unwrap(), "destroy it");
        assert_eq!(advice.in_words(|_| None), None);
        let activity = Activity::Running { program: Some("make".to_owned()) };
        let advice = Advice::for_session(&activity, false, None);
        assert_eq!(advice.in_words(|_| None).unwrap(), "make is running");
        assert_eq!(plain(&advice), "make is running: wait for it, or interrupt the program with ctrl+c");
    }

    #[test]
    fn the_advice_to_reach_the_prompt_fits_the_activity() {
        let program = || Some("it".to_owned());
        for (activity, nested, expected) in [
            (
                Activity::Running { program: program() },
                false,
                "wait for the prompt, or interrupt the program with ctrl+c",
            ),
            (
                Activity::Running { program: program() },
                true,
                "type into it, read the screen, or leave it first",
            ),
            (Activity::Pager { program: "less".to_owned() }, false, "leave it with q"),
            (Activity::Editor { program: "vim".to_owned() }, false, "leave it with its own command"),
            (
                Activity::WaitingForInput { program: program() },
                false,
                "type into it, or leave it first: a shell or an interpreter with `exit` or ctrl+d, most others with ctrl+c",
            ),
        ] {
            assert_eq!(plain(&ApiError::NotAtPrompt { activity, nested }.advice()), expected);
        }
    }
}
