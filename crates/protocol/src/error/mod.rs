//! Why an operation was refused or failed, as data. Clients branch on the [`Code`]; a face says the rest in the words of its own
//! tools or commands: [`ApiError`] is what happened, [`ApiError::advice`] what the caller can do next.

mod advice;
mod code;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use advice::{Advice, Clause, Step};
pub use code::Code;

use crate::op::{Activity, requests};

/// Why an operation was refused or failed. The text of an error says what happened and names no tool or command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApiError {
    /// No session has this id, number or name, and none had.
    #[error("Session not found: {session}")]
    SessionNotFound {
        /// As it was asked for.
        session: String,
        /// The name that may have been meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// The session was destroyed.
    #[error("Session already destroyed: {session}")]
    SessionDestroyed {
        /// As it was asked for.
        session: String,
    },
    /// The limit of live sessions is reached.
    #[error("Maximum sessions reached ({limit})")]
    MaxSessions {
        /// The limit.
        limit: usize,
        /// The sessions that were idle longest.
        idle: Vec<String>,
    },
    /// This cannot be a session's name.
    #[error("{name:?} is no name for a session")]
    BadName {
        /// The name, shortened.
        name: String,
    },
    /// Another session has this name.
    #[error("there is already a session named `{name}`")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// There is no such program on the child's PATH, or it cannot be executed.
    #[error("Program not found: {program}{}", error.as_ref().map_or_else(String::new, |error| format!(": {error}")))]
    ProgramNotFound {
        /// As it was asked for.
        program: String,
        /// The kernel's reason, where the program is there and could not be started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A directory cannot be entered.
    #[error("cannot enter the directory {dir}: {error}")]
    Directory {
        /// The directory.
        dir: String,
        /// The kernel's reason.
        error: String,
    },
    /// The kernel gave no terminal.
    #[error("PTY error: {error}")]
    Pty {
        /// Why.
        error: String,
    },
    /// A session needs a few descriptors, and there are no more.
    #[error("the limit of open files is reached ({limit})")]
    OpenFiles {
        /// The limit.
        limit: u64,
    },
    /// Reading or writing failed.
    #[error("IO error: {error}")]
    Io {
        /// Why.
        error: String,
    },
    /// The keeper refused.
    #[error("{error}")]
    Keeper {
        /// What.
        error: String,
    },
    /// The policy could not be asked.
    #[error("{error}")]
    Policy {
        /// Why.
        error: String,
    },
    /// The session itself failed.
    #[error("Session has error: {error}")]
    Broken {
        /// How.
        error: String,
    },
    /// The program has ended.
    #[error("Process has exited{}", exit_code.map_or_else(|| " by a signal".to_owned(), |code| format!(" with code {code}")))]
    Exited {
        /// Its exit code; none where a signal ended it.
        exit_code: Option<i32>,
    },
    /// Another call is typing.
    #[error("another call has been typing into this session for {:.1} s: {call}", *ms as f64 / 1000.0)]
    Busy {
        /// What that call does.
        call: String,
        /// For how long it has.
        ms: u64,
    },
    /// A person has the keyboard.
    #[error("a person has the keyboard ({by})")]
    KeyboardHeld {
        /// Who.
        by: String,
        /// When it comes back if that person does nothing; never, where it has to be given back.
        ends_in_ms: Option<u64>,
    },
    /// Another person has the keyboard, or nobody has.
    #[error("the keyboard is not yours")]
    KeyboardNotYours,
    /// Only a person can do that.
    #[error("only a person can do that")]
    NotAPerson,
    /// The program asks for a secret.
    #[error("{}", if *suspected { "this looks like a question for a secret" } else { "the program asks for a secret" })]
    SecretInput {
        /// Told from what the screen shows, not by the kernel.
        suspected: bool,
    },
    /// There is no such key.
    #[error("Invalid key: {key}")]
    UnknownKey {
        /// As it was asked for.
        key: String,
        /// The key that may have been meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// The program cannot be told that this modifier is held.
    #[error("Invalid key: the program cannot be told of super (cmd, win) or hyper")]
    UnknownModifier {
        /// The character that it was held with.
        key: Option<char>,
    },
    /// The program has mouse reporting off.
    #[error("{} has mouse reporting off", program.as_ref().map_or_else(|| "the program".to_owned(), |program| format!("`{program}`")))]
    MouseOff {
        /// The program in the foreground.
        program: Option<String>,
    },
    /// The screen does not show that text.
    #[error("`{label}` is not on the screen{}", if *nth > 1 { format!(" {nth} times") } else { String::new() })]
    LabelNotFound {
        /// The text.
        label: String,
        /// Which of several.
        nth: usize,
    },
    /// The session is another owner's.
    #[error("session {session} belongs to {owner}")]
    NotYours {
        /// Its id.
        session: String,
        /// Its owner.
        owner: String,
    },
    /// The shell does not wait for a command.
    #[error("the shell is not waiting for a command{}", advice::doing(activity, *nested))]
    NotAtPrompt {
        /// What the session does instead.
        activity: Activity,
        /// Whether the program has terminals of its own, which cannot be seen into.
        nested: bool,
    },
    /// There is text on the command line already.
    #[error("{}", if *entered { "the command line is not complete: the shell waits for the rest" } else { "there is already something on the command line" })]
    LineStarted {
        /// It was entered, but a quote or a block is open.
        entered: bool,
    },
    /// No shell marks its commands here.
    #[error("this session has no shell that marks its commands")]
    NoShell,
    /// No command was run, so none can be read.
    #[error("no command was run in this session")]
    NoCommands {
        /// As it was asked for.
        session: String,
    },
    /// There is no command of this number.
    #[error("there is no command {number} in this session, or it is forgotten")]
    NoSuchCommand {
        /// The number.
        number: u64,
        /// How many there were so far.
        total: u64,
    },
    /// A policy rule denies it.
    #[error("the line was refused: {reason}")]
    PolicyDenied {
        /// The rule's reason.
        reason: String,
    },
    /// A regular expression does not compile.
    #[error("Invalid pattern: {error}")]
    InvalidPattern {
        /// Why.
        error: String,
        /// The parameter that takes text as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        literal: Option<String>,
    },
    /// The session's output is captured already.
    #[error("the session's output is already captured, in {file}")]
    CaptureRunning {
        /// The file.
        file: String,
    },
    /// The session's output is not captured.
    #[error("the session's output is not captured")]
    NoCapture,
    /// This session has an open hand-off request.
    #[error("a person was already asked here ({id}): {message}")]
    AlreadyAsked {
        /// The open request.
        id: String,
        /// What it asks.
        message: String,
    },
    /// The same, where the caller may not know more of it.
    #[error("a person was already asked here, by somebody else")]
    OtherAsked,
    /// There is no such hand-off request, or no longer.
    #[error("nobody was asked under the id {id}")]
    RequestNotFound {
        /// As it was asked for.
        id: String,
    },
    /// The hand-off request has ended.
    #[error("{id} is over: {}", match state {
        requests::State::Completed => "it was completed",
        requests::State::Declined => "it was declined",
        requests::State::Timeout => "it timed out",
        requests::State::Cancelled => "it was withdrawn",
        requests::State::Waiting | requests::State::Taken => "it is open",
    })]
    RequestEnded {
        /// Which.
        id: String,
        /// How it ended.
        state: requests::State,
    },
    /// There is no recording of that session, or no longer.
    #[error("there is no recording of {session}")]
    NoRecording {
        /// As it was asked for.
        session: String,
    },
    /// The recording of a live session goes on.
    #[error("the session is live, and its recording goes on")]
    RecordingLive,
    /// The daemon is ending.
    #[error("the daemon is shutting down")]
    ShuttingDown,
    /// The condition did not come true in time.
    #[error("Wait timeout after {elapsed_ms}ms: {why}")]
    WaitTimeout {
        /// How long was waited.
        elapsed_ms: u64,
        /// Why it did not come true.
        why: String,
        /// What the session does.
        activity: Activity,
        /// See [`ApiError::NotAtPrompt`].
        nested: bool,
        /// The person who has the keyboard.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held_by: Option<String>,
        /// Output before this was seen.
        seq: u64,
    },
    /// This token may only read.
    #[error("this token is for looking only")]
    ReadOnly,
    /// A process inside an agent's session may not do that.
    #[error("a process inside an agent's session may read that session and ask a person, and nothing else")]
    ChildNotAllowed,
    /// The token is missing or wrong.
    #[error("the token is missing or wrong")]
    BadToken,
    /// The request does not come from where it may.
    #[error("{reason}")]
    Unauthorized {
        /// Why.
        reason: String,
    },
    /// This cannot be a token's name.
    #[error("`{name}` is no name for a token")]
    BadTokenName {
        /// The name.
        name: String,
    },
    /// There is a token of that name.
    #[error("there is already a token named `{name}`")]
    TokenExists {
        /// The name.
        name: String,
    },
    /// There is no token of that name.
    #[error("there is no token named `{name}`")]
    TokenNotFound {
        /// The name.
        name: String,
    },
    /// There is no such operation.
    #[error("there is no operation `{name}`")]
    UnknownOperation {
        /// As it was asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is no such path.
    #[error("there is nothing at {method} {path}")]
    UnknownRoute {
        /// The method.
        method: String,
        /// The path.
        path: String,
    },
    /// The path is there, but not by this method.
    #[error("{path} does not take {method}")]
    WrongMethod {
        /// The path.
        path: String,
        /// The method.
        method: String,
    },
    /// The body of a request is too large.
    #[error("the body is larger than {mib} MiB")]
    TooLarge {
        /// The most it may have.
        mib: usize,
    },
    /// There is no such parameter.
    #[error("{of} has no parameter `{name}`")]
    UnknownParameter {
        /// The operation or tool.
        of: String,
        /// As it was given, with the path to it.
        name: String,
        /// The one that may have been meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A parameter that must be given is missing.
    #[error("{of}: `{name}` is missing")]
    MissingParameter {
        /// The operation or tool.
        of: String,
        /// Its name, with the path to it.
        name: String,
    },
    /// A parameter has a value that it does not take.
    #[error("{of}: `{name}` is {given}, but takes {takes}")]
    WrongParameter {
        /// The operation or tool.
        of: String,
        /// Its name, with the path to it.
        name: String,
        /// What was given, shortened.
        given: String,
        /// What it takes.
        takes: String,
        /// The value that may have been meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// There is no such thing to choose.
    #[error("there is no {what} `{name}`{}", near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
    UnknownChoice {
        /// What is chosen: a signal, a tool, a window type.
        what: String,
        /// As it was asked for.
        name: String,
        /// The one that may have been meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is nothing to type.
    #[error("{problem}")]
    NoInput {
        /// What is missing.
        problem: String,
    },
    /// Something else in the call is wrong.
    #[error("{problem}")]
    Invalid {
        /// What.
        problem: String,
        /// What would be right.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<String>,
    },
    /// A variable in the environment of the caller's process has a value that cannot be used.
    #[error("{problem}")]
    BadVariable {
        /// Which variable, and why.
        problem: String,
        /// It is a pattern that does not compile.
        is_pattern: bool,
    },
    /// There are several panels, and none was named.
    #[error("there are several panels: say which by panelId")]
    WhichPanel {
        /// Their names.
        known: Vec<String>,
    },
    /// There is no such panel.
    #[error("there is no panel{}", panel.as_ref().map_or_else(String::new, |panel| format!(" `{panel}`")))]
    NoPanel {
        /// As it was asked for.
        panel: Option<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is no such window, or none at all.
    #[error("{}", if *named { "window not found or not a terminal" } else { "no terminal window" })]
    NoWindow {
        /// Whether one was asked for by name.
        named: bool,
        /// Those that there are.
        known: Vec<String>,
        /// Why it is not there.
        code: Code,
    },
    /// More lines than one call answers with.
    #[error("lines {first} to {last} are more than {most}")]
    TooManyLines {
        /// The first that was asked for.
        first: i64,
        /// The last.
        last: i64,
        /// The most.
        most: i64,
    },
    /// There is no such MCP session over HTTP, or it is another's.
    #[error("there is no such MCP session, or it is not yours")]
    NoMcpSession,
    /// Too many answers wait for somebody to read them.
    #[error("too many resources were asked for that nobody has read")]
    UnreadAnswers,
    /// Only some of several keys were typed.
    #[error("{error} ({typed} of {count} were typed)")]
    PartlyTyped {
        /// How many were.
        typed: usize,
        /// Of how many.
        count: usize,
        /// Why no more.
        error: Box<ApiError>,
    },
    /// One of several steps failed.
    #[error("step {step}: {error}")]
    Step {
        /// Which, from 1.
        step: usize,
        /// Why.
        error: Box<ApiError>,
    },
}

impl ApiError {
    /// Something in the call is wrong.
    pub fn invalid(problem: impl Into<String>) -> ApiError {
        ApiError::Invalid { problem: problem.into(), instead: None }
    }

    /// The same, with what would be right.
    pub fn invalid_instead(problem: impl Into<String>, instead: impl Into<String>) -> ApiError {
        ApiError::Invalid { problem: problem.into(), instead: Some(instead.into()) }
    }

    /// There is no such thing to choose.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> ApiError {
        let known = known.into_iter().map(str::to_owned).collect();
        ApiError::UnknownChoice { what: what.to_owned(), name: name.to_owned(), near: None, known }
    }

    /// What clients branch on.
    pub fn code(&self) -> Code {
        match self {
            ApiError::SessionNotFound { .. } | ApiError::NoPanel { .. } => Code::SessionNotFound,
            ApiError::SessionDestroyed { .. } => Code::SessionDestroyed,
            ApiError::MaxSessions { .. } => Code::MaxSessions,
            ApiError::BadName { .. }
            | ApiError::NameTaken { .. }
            | ApiError::Directory { .. }
            | ApiError::NoCommands { .. }
            | ApiError::NoSuchCommand { .. }
            | ApiError::BadTokenName { .. }
            | ApiError::UnknownParameter { .. }
            | ApiError::MissingParameter { .. }
            | ApiError::WrongParameter { .. }
            | ApiError::UnknownChoice { .. }
            | ApiError::WhichPanel { .. }
            | ApiError::TooManyLines { .. }
            | ApiError::BadVariable { is_pattern: false, .. }
            | ApiError::Invalid { .. } => Code::InvalidInput,
            ApiError::ProgramNotFound { .. } => Code::ProgramNotFound,
            ApiError::Pty { .. } | ApiError::OpenFiles { .. } => Code::PtyError,
            ApiError::Io { .. } | ApiError::Keeper { .. } => Code::IoError,
            ApiError::Broken { .. } | ApiError::Policy { .. } => Code::SessionError,
            ApiError::Exited { .. } => Code::ProcessExited,
            ApiError::Busy { .. } | ApiError::RecordingLive | ApiError::UnreadAnswers => Code::Busy,
            ApiError::KeyboardHeld { .. } | ApiError::KeyboardNotYours => Code::KeyboardHeld,
            ApiError::NotAPerson => Code::NotAPerson,
            ApiError::SecretInput { .. } => Code::SecretInput,
            ApiError::UnknownKey { .. } | ApiError::UnknownModifier { .. } => Code::InvalidKey,
            ApiError::MouseOff { .. } => Code::MouseOff,
            ApiError::LabelNotFound { .. } => Code::LabelNotFound,
            ApiError::NotYours { .. } => Code::NotYours,
            ApiError::NotAtPrompt { .. } | ApiError::LineStarted { .. } => Code::NotAtPrompt,
            ApiError::NoShell => Code::NoShell,
            ApiError::PolicyDenied { .. } => Code::PolicyDenied,
            ApiError::InvalidPattern { .. } | ApiError::BadVariable { is_pattern: true, .. } => {
                Code::InvalidPattern
            }
            ApiError::CaptureRunning { .. } => Code::CaptureRunning,
            ApiError::NoCapture => Code::NoCapture,
            ApiError::AlreadyAsked { .. } | ApiError::OtherAsked => Code::AlreadyAsked,
            ApiError::RequestNotFound { .. } => Code::RequestNotFound,
            ApiError::RequestEnded { .. } => Code::RequestEnded,
            ApiError::NoRecording { .. } => Code::NoRecording,
            ApiError::ShuttingDown => Code::ShuttingDown,
            ApiError::WaitTimeout { .. } => Code::WaitTimeout,
            ApiError::ReadOnly => Code::ReadOnly,
            ApiError::ChildNotAllowed => Code::NotAllowed,
            ApiError::BadToken | ApiError::Unauthorized { .. } => Code::Unauthorized,
            ApiError::TokenExists { .. } => Code::TokenExists,
            ApiError::TokenNotFound { .. } => Code::TokenNotFound,
            ApiError::UnknownOperation { .. } => Code::UnknownOperation,
            ApiError::UnknownRoute { .. } | ApiError::NoMcpSession => Code::UnknownRoute,
            ApiError::WrongMethod { .. } => Code::WrongMethod,
            ApiError::TooLarge { .. } => Code::TooLarge,
            ApiError::NoInput { .. } => Code::NoInput,
            ApiError::NoWindow { code, .. } => *code,
            ApiError::PartlyTyped { error, .. } | ApiError::Step { error, .. } => error.code(),
        }
    }
}

/// An error as it is written on the wire, by a face for its caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// Stable across releases.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// The next step to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The same as data.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub cause: Option<Box<ApiError>>,
}

/// An error that a newer daemon knows and this program does not is still one with a code and a message.
fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<ApiError>>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl ErrorBody {
    /// The error with the hint that a face gives for it.
    pub fn new(error: ApiError, hint: Option<String>) -> ErrorBody {
        ErrorBody { code: error.code(), message: error.to_string(), hint, cause: Some(Box::new(error)) }
    }
}

impl std::fmt::Display for ErrorBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ErrorBody {}
