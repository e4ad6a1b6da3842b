//! Why an operation was refused or failed, as data. Clients branch on the [`Code`]. [`ApiError`] says what happened,
//! [`ApiError::advice`] what the caller can do next; each face words the advice in terms of its own tools or commands.

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
    /// No session has or had this id, number or name.
    #[error("Session not found: {session}")]
    SessionNotFound {
        /// As the caller gave it.
        session: String,
        /// A similar name that exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// The session was destroyed.
    #[error("Session already destroyed: {session}")]
    SessionDestroyed {
        /// As the caller gave it.
        session: String,
    },
    /// The limit of live sessions is reached.
    #[error("Maximum sessions reached ({limit})")]
    MaxSessions {
        /// The limit.
        limit: usize,
        /// The sessions that have been idle longest.
        idle: Vec<String>,
    },
    /// The session name is invalid.
    #[error("invalid session name {name:?}")]
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
        /// As the caller gave it.
        program: String,
        /// The kernel's reason, if the program exists but cannot be started.
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
    /// The kernel could not create a terminal.
    #[error("PTY error: {error}")]
    Pty {
        /// Why.
        error: String,
    },
    /// No file descriptors are left for a new session.
    #[error("the limit of open files is reached ({limit})")]
    OpenFiles {
        /// The limit.
        limit: u64,
    },
    /// The kernel starts no more processes for this user.
    #[error("the limit of processes is reached")]
    Processes,
    /// Reading or writing failed.
    #[error("IO error: {error}")]
    Io {
        /// Why.
        error: String,
    },
    /// The keeper refused.
    #[error("{error}")]
    Keeper {
        /// Why.
        error: String,
    },
    /// The policy could not be evaluated.
    #[error("{error}")]
    Policy {
        /// Why.
        error: String,
    },
    /// The session itself failed.
    #[error("Session has error: {error}")]
    Broken {
        /// Why.
        error: String,
    },
    /// The program has ended.
    #[error("Process has exited{}", exit_code.map_or_else(|| " by a signal".to_owned(), |code| format!(" with code {code}")))]
    Exited {
        /// Its exit code; none if a signal ended it.
        exit_code: Option<i32>,
    },
    /// Another call is typing.
    #[error("another call has been typing into this session for {:.1} s: {call}", *ms as f64 / 1000.0)]
    Busy {
        /// What that call does.
        call: String,
        /// For how long it has been typing.
        ms: u64,
    },
    /// A person has the keyboard.
    #[error("a person has the keyboard ({by})")]
    KeyboardHeld {
        /// Who.
        by: String,
        /// When the keyboard is free if that person types nothing more; none if the person must give it back.
        ends_in_ms: Option<u64>,
    },
    /// The caller does not hold the keyboard.
    #[error("the keyboard is not yours")]
    KeyboardNotYours,
    /// Only a person can do that.
    #[error("only a person can do that")]
    NotAPerson,
    /// The program asks for a secret.
    #[error("{}", if *suspected { "the program seems to ask for a secret" } else { "the program asks for a secret" })]
    SecretInput {
        /// Guessed from the screen, not reported by the kernel.
        suspected: bool,
    },
    /// There is no such key.
    #[error("Invalid key: {key}")]
    UnknownKey {
        /// As the caller gave it.
        key: String,
        /// A similar key that exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// A terminal cannot send this modifier.
    #[error("Invalid key: a terminal cannot send super (cmd, win) or hyper")]
    UnknownModifier {
        /// The character that was pressed with it.
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
        /// Which of several occurrences.
        nth: usize,
    },
    /// The session belongs to another owner.
    #[error("session {session} belongs to {owner}")]
    NotYours {
        /// Its id.
        session: String,
        /// Its owner.
        owner: String,
    },
    /// The shell is not waiting for a command.
    #[error("the shell is not waiting for a command{}", advice::doing(activity, *nested))]
    NotAtPrompt {
        /// What the session is doing.
        activity: Activity,
        /// Whether the program has terminals of its own, whose content cotty cannot observe.
        nested: bool,
    },
    /// There is text on the command line already.
    #[error("{}", if *entered { "the command line is not complete: the shell waits for the rest" } else { "there is already text on the command line" })]
    LineStarted {
        /// The line was entered, but a quote or a block is still open.
        entered: bool,
    },
    /// No shell marks its commands here.
    #[error("this session has no shell that marks its commands")]
    NoShell,
    /// The session has no commands.
    #[error("no command was run in this session")]
    NoCommands {
        /// As the caller gave it.
        session: String,
    },
    /// There is no command with this number.
    #[error("there is no command {number} in this session, or it is no longer kept")]
    NoSuchCommand {
        /// The number.
        number: u64,
        /// How many commands the session has run.
        total: u64,
    },
    /// A policy rule denies it.
    #[error("the policy denied the line: {reason}")]
    PolicyDenied {
        /// The rule's reason.
        reason: String,
    },
    /// A regular expression does not compile.
    #[error("Invalid pattern: {error}")]
    InvalidPattern {
        /// Why.
        error: String,
        /// The parameter that takes plain text instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        literal: Option<String>,
    },
    /// The session's output is already captured.
    #[error("the session's output is already captured to {file}")]
    CaptureRunning {
        /// The file.
        file: String,
    },
    /// The session's output is not captured.
    #[error("the session's output is not captured")]
    NoCapture,
    /// This session already has an open hand-off request.
    #[error("there is already an open hand-off request ({id}): {message}")]
    AlreadyAsked {
        /// The open request.
        id: String,
        /// What it asks.
        message: String,
    },
    /// Another caller has an open hand-off request in this session.
    #[error("there is already an open hand-off request by another caller")]
    OtherAsked,
    /// There is no such hand-off request, or it ended long ago.
    #[error("there is no hand-off request {id}")]
    RequestNotFound {
        /// As the caller gave it.
        id: String,
    },
    /// The hand-off request has ended.
    #[error("hand-off request {id} {}", match state {
        requests::State::Completed => "was completed",
        requests::State::Declined => "was declined",
        requests::State::Timeout => "timed out",
        requests::State::Cancelled => "was withdrawn",
        requests::State::Waiting | requests::State::Taken => "is open",
    })]
    RequestEnded {
        /// Its id.
        id: String,
        /// How it ended.
        state: requests::State,
    },
    /// There is no recording of that session, or it was deleted.
    #[error("there is no recording of {session}")]
    NoRecording {
        /// As the caller gave it.
        session: String,
    },
    /// The session is still being recorded.
    #[error("the session is live and still being recorded")]
    RecordingLive,
    /// The daemon is shutting down.
    #[error("the daemon is shutting down")]
    ShuttingDown,
    /// The condition was not met in time.
    #[error("Wait timeout after {elapsed_ms}ms: {why}")]
    WaitTimeout {
        /// How long the wait lasted.
        elapsed_ms: u64,
        /// Why the condition was not met.
        why: String,
        /// What the session is doing.
        activity: Activity,
        /// See [`ApiError::NotAtPrompt`].
        nested: bool,
        /// The person who has the keyboard.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held_by: Option<String>,
        /// The seq up to which output was checked.
        seq: u64,
    },
    /// The id of a repeated request was used for another one.
    #[error("the id `{retry_id}` was used for another request")]
    RetryIdReused {
        /// The id.
        retry_id: String,
    },
    /// The token is read-only.
    #[error("this token is read-only")]
    ReadOnly,
    /// A process inside an agent's session may not do that.
    #[error("a process inside an agent's session may only read that session and ask a person")]
    ChildNotAllowed,
    /// The token is missing or wrong.
    #[error("the token is missing or wrong")]
    BadToken,
    /// The request comes from an origin that is not allowed.
    #[error("{reason}")]
    Unauthorized {
        /// Why.
        reason: String,
    },
    /// The token name is invalid.
    #[error("invalid token name `{name}`")]
    BadTokenName {
        /// The name.
        name: String,
    },
    /// There is already a token with that name.
    #[error("there is already a token named `{name}`")]
    TokenExists {
        /// The name.
        name: String,
    },
    /// There is no token with that name.
    #[error("there is no token named `{name}`")]
    TokenNotFound {
        /// The name.
        name: String,
    },
    /// There is no such operation.
    #[error("there is no operation `{name}`")]
    UnknownOperation {
        /// As the caller gave it.
        name: String,
        /// The valid choices.
        known: Vec<String>,
    },
    /// There is no such path.
    #[error("there is no route {method} {path}")]
    UnknownRoute {
        /// The method.
        method: String,
        /// The path.
        path: String,
    },
    /// The path does not support this method.
    #[error("{path} does not support {method}")]
    WrongMethod {
        /// The path.
        path: String,
        /// The method.
        method: String,
    },
    /// The body of a request is too large.
    #[error("the body is larger than {mib} MiB")]
    TooLarge {
        /// The limit.
        mib: usize,
    },
    /// There is no such parameter.
    #[error("{of} has no parameter `{name}`")]
    UnknownParameter {
        /// The operation or tool.
        of: String,
        /// Its name as given, with the path to it.
        name: String,
        /// A similar one that exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
        /// The valid choices.
        known: Vec<String>,
    },
    /// A required parameter is missing.
    #[error("{of}: `{name}` is missing")]
    MissingParameter {
        /// The operation or tool.
        of: String,
        /// Its name, with the path to it.
        name: String,
    },
    /// A parameter has an invalid value.
    #[error("{of}: `{name}` must be {takes}; got {given}")]
    WrongParameter {
        /// The operation or tool.
        of: String,
        /// Its name, with the path to it.
        name: String,
        /// The given value, shortened.
        given: String,
        /// What it must be.
        takes: String,
        /// A similar value that is valid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
    },
    /// There is no such choice.
    #[error("there is no {what} `{name}`{}", near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
    UnknownChoice {
        /// What the caller chooses: a signal, a tool, a window type.
        what: String,
        /// As the caller gave it.
        name: String,
        /// A similar one that exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<String>,
        /// The valid choices.
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
        /// What is wrong.
        problem: String,
        /// What would be right.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<String>,
    },
    /// A variable in the environment of the caller's process has an invalid value.
    #[error("{problem}")]
    BadVariable {
        /// Which variable, and why.
        problem: String,
        /// Whether the value is a pattern that does not compile.
        is_pattern: bool,
    },
    /// There are several panels, and none was named.
    #[error("there are several panels: choose one with panelId")]
    WhichPanel {
        /// The names of the panels.
        known: Vec<String>,
    },
    /// There is no such panel.
    #[error("there is no panel{}", panel.as_ref().map_or_else(String::new, |panel| format!(" `{panel}`")))]
    NoPanel {
        /// As the caller gave it.
        panel: Option<String>,
        /// The valid choices.
        known: Vec<String>,
    },
    /// There is no such window, or no window at all.
    #[error("{}", if *named { "window not found or not a terminal" } else { "no terminal window" })]
    NoWindow {
        /// Whether the caller named a window.
        named: bool,
        /// The valid choices.
        known: Vec<String>,
        /// The error code to return.
        code: Code,
    },
    /// More lines than one call may return.
    #[error("lines {first} to {last}: at most {most} lines per call")]
    TooManyLines {
        /// The first requested line.
        first: i64,
        /// The last requested line.
        last: i64,
        /// The limit.
        most: i64,
    },
    /// There is no such MCP session over HTTP, or it belongs to another caller.
    #[error("there is no such MCP session, or it is not yours")]
    NoMcpSession,
    /// Too many earlier answers are unread.
    #[error("too many answers to resource requests are unread")]
    UnreadAnswers,
    /// Only some of several keys were typed.
    #[error("{error} (typed {typed} of {count})")]
    PartlyTyped {
        /// How many were typed.
        typed: usize,
        /// How many were to be typed.
        count: usize,
        /// Why the rest was not.
        error: Box<ApiError>,
    },
    /// One of several steps failed.
    #[error("step {step}: {error}")]
    Step {
        /// Which step, from 1.
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

    /// Something in the call is wrong, with what would be right.
    pub fn invalid_instead(problem: impl Into<String>, instead: impl Into<String>) -> ApiError {
        ApiError::Invalid { problem: problem.into(), instead: Some(instead.into()) }
    }

    /// For an invalid pattern: names the parameter that takes plain text instead.
    pub fn or_literal(self, parameter: &str) -> ApiError {
        match self {
            ApiError::InvalidPattern { error, .. } => {
                ApiError::InvalidPattern { error, literal: Some(parameter.to_owned()) }
            }
            other => other,
        }
    }

    /// There is no such choice.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> ApiError {
        let known = known.into_iter().map(str::to_owned).collect();
        ApiError::UnknownChoice { what: what.to_owned(), name: name.to_owned(), near: None, known }
    }

    /// The code that clients branch on.
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
            ApiError::Pty { .. } | ApiError::OpenFiles { .. } | ApiError::Processes => Code::PtyError,
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
            ApiError::RetryIdReused { .. } => Code::RetryIdReused,
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

/// An error as a face writes it on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// Stable across releases.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// The next step to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The error as data.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub cause: Option<Box<ApiError>>,
}

/// A cause that only a newer daemon knows is dropped; the code and message remain.
fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<ApiError>>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl ErrorBody {
    /// The error, with a face's hint.
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
