//! The codes that clients branch on: stable across releases.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $status:literal;)*) => {
        /// Every error code that cotty returns.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }
        impl Code {
            /// All codes, for tables in the docs and tests.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];
            /// The code as text, as on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
            /// The corresponding HTTP status.
            pub fn http_status(self) -> u16 {
                match self { $(Code::$name => $status,)* }
            }
        }
    };
}

codes! {
    /// A pseudo-terminal could not be created or used.
    PtyError = "PTY_ERROR", 500;
    /// Reading or writing failed.
    IoError = "IO_ERROR", 500;
    /// No session has or had this id, number or name.
    SessionNotFound = "SESSION_NOT_FOUND", 404;
    /// The session was destroyed.
    SessionDestroyed = "SESSION_DESTROYED", 410;
    /// The limit of live sessions is reached.
    MaxSessions = "MAX_SESSIONS", 429;
    /// The session itself is broken.
    SessionError = "SESSION_ERROR", 500;
    /// Neither text nor key was given.
    NoInput = "NO_INPUT", 400;
    /// There is no such key.
    InvalidKey = "INVALID_KEY", 400;
    /// A regular expression does not compile.
    InvalidPattern = "INVALID_PATTERN", 400;
    /// The program has ended, so nothing can be typed into it.
    ProcessExited = "PROCESS_EXITED", 409;
    /// There is no such program, or it may not be run.
    ProgramNotFound = "PROGRAM_NOT_FOUND", 400;
    /// The condition did not come true in time.
    WaitTimeout = "WAIT_TIMEOUT", 408;
    /// A person has the keyboard.
    KeyboardHeld = "KEYBOARD_HELD", 409;
    /// The program asks for a secret.
    SecretInput = "SECRET_INPUT", 409;
    /// The id of a repeated request was used for another one.
    RetryIdReused = "RETRY_ID_REUSED", 422;
    /// A policy rule denies it.
    PolicyDenied = "POLICY_DENIED", 403;
    /// A parameter is missing, unknown or out of range.
    InvalidInput = "INVALID_INPUT", 400;
    /// The session belongs to another owner.
    NotYours = "NOT_YOURS", 403;
    /// Only a person can do that.
    NotAPerson = "NOT_A_PERSON", 403;
    /// A process inside an agent's session may only read that session and ask a person.
    NotAllowed = "NOT_ALLOWED", 403;
    /// The token is read-only.
    ReadOnly = "READ_ONLY", 403;
    /// The program has mouse reporting off.
    MouseOff = "MOUSE_OFF", 409;
    /// The screen does not show that text.
    LabelNotFound = "LABEL_NOT_FOUND", 404;
    /// Another call is typing into this session.
    Busy = "BUSY", 409;
    /// The shell is not waiting for a command, or its line is not empty.
    NotAtPrompt = "NOT_AT_PROMPT", 409;
    /// The session has no shell that marks its commands.
    NoShell = "NO_SHELL", 409;
    /// The session's output is already captured.
    CaptureRunning = "CAPTURE_RUNNING", 409;
    /// The session's output is not captured.
    NoCapture = "NO_CAPTURE", 409;
    /// The session already has an open hand-off request.
    AlreadyAsked = "ALREADY_ASKED", 409;
    /// There is no hand-off request with this id, or it ended long ago.
    RequestNotFound = "REQUEST_NOT_FOUND", 404;
    /// The hand-off request has ended.
    RequestEnded = "REQUEST_ENDED", 409;
    /// There is no recording of that session, or it was deleted.
    NoRecording = "NO_RECORDING", 404;
    /// There is no such operation.
    UnknownOperation = "UNKNOWN_OPERATION", 404;
    /// There is no such path.
    UnknownRoute = "UNKNOWN_ROUTE", 404;
    /// The path does not support this method.
    WrongMethod = "WRONG_METHOD", 405;
    /// The body of a request is too large.
    TooLarge = "TOO_LARGE", 413;
    /// There is no token with that name.
    TokenNotFound = "TOKEN_NOT_FOUND", 404;
    /// There is already a token with that name.
    TokenExists = "TOKEN_EXISTS", 409;
    /// A token is missing or wrong.
    Unauthorized = "UNAUTHORIZED", 401;
    /// The daemon is shutting down.
    ShuttingDown = "SHUTTING_DOWN", 503;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
