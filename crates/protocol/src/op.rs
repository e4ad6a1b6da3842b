//! The operations: their parameters and replies, in one module each, named after the operation.

pub mod mouse;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An operation, represented by its parameters: they define its name and the type of its reply.
pub trait Operation: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// The operation's name.
    const NAME: &'static str;
    /// The type of its reply.
    type Reply: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// Declares one module per operation, with its `Params` and its `Reply`.
macro_rules! operations {
    ($($name:ident,)*) => {
        $(
            pub mod $name;
            impl Operation for $name::Params {
                const NAME: &'static str = stringify!($name);
                type Reply = $name::Reply;
            }
        )*
        /// The names of all operations.
        pub const OPERATIONS: &[&str] = &[$(stringify!($name),)*];
    };
}

/// Passes the list of all operations to a macro.
#[macro_export]
macro_rules! for_each_operation {
    ($macro:ident) => {
        $macro! {
            answer,
            ask,
            capture,
            commands,
            config,
            configure,
            create,
            destroy,
            info,
            keyboard,
            list,
            panel_open,
            panels,
            requests,
            purge,
            read,
            recording,
            resize,
            restart,
            run,
            search,
            search_recordings,
            send,
            signal,
            snapshot,
            status,
            stop,
            token_list,
            token_new,
            token_revoke,
            token_rotate,
            wait,
            withdraw,
        }
    };
}

for_each_operation!(operations);

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dimensions {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

/// A place on the screen, 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Row, from 1.
    pub row: u16,
    /// Column, from 1.
    pub col: u16,
}

/// What a session is doing, as far as cotty can observe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Activity {
    /// The shell waits for a command.
    Prompt,
    /// A program is running.
    Running {
        /// The program in the foreground.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// A program waits for input.
    WaitingForInput {
        /// The program's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// A program shows text page by page.
    Pager {
        /// The program's name.
        program: String,
    },
    /// An editor is open.
    Editor {
        /// The program's name.
        program: String,
    },
    /// The program asks for a secret: it reads a line with echo off, or shows mask characters (`****`) for keys.
    SecretInput,
    /// The screen looks like a prompt for a secret, in a program that reads keys itself or in ssh, a container or a multiplexer.
    SecretSuspected,
    /// The program has ended.
    Exited,
}

/// Everything that a list shows of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Its id, `sess_` and eight characters.
    pub session_id: String,
    /// Its small number, never used again in this home.
    pub number: u32,
    /// Its name, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The title that the program set.
    pub title: String,
    /// The program's path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Program and arguments as one line, or the command line it was created from.
    pub command: String,
    /// Its process id.
    pub pid: u32,
    /// When it was created, ISO 8601.
    pub created_at: String,
    /// Its size.
    pub dimensions: Dimensions,
    /// The cursor, 1-based.
    pub cursor: Place,
    /// Whether the program has ended.
    pub exited: bool,
    /// The exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether it has no errors and has not exited.
    pub healthy: bool,
    /// What it is doing.
    pub activity: Activity,
    /// Whether the program in the foreground is stopped by a signal.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub stopped: bool,
    /// Its panel id, if it is a panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel_id: Option<String>,
    /// Its owner.
    pub owner: String,
    /// The current directory of its foreground program; after it exited, the one it started in.
    pub cwd: Option<String>,
    /// Bytes of output processed.
    pub seq: u64,
    /// Who may type.
    pub keyboard: keyboard::Reply,
    /// How many lines of history it keeps.
    pub history_lines: usize,
    /// Milliseconds since the last output or input.
    pub idle_ms: u64,
    /// The state of its recording.
    pub recording: Recording,
    /// The open hand-off request, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<requests::HandoffRequest>,
    /// History that was lost when the daemon was replaced, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Whether its history is longer than the journal. A daemon that cannot read this one's checkpoints loses the
    /// older part.
    #[serde(default)]
    pub checkpointed: bool,
}

/// History that was lost when the daemon was replaced. The program keeps running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryLost {
    /// When, ISO 8601.
    pub at: String,
    /// Output before this seq is missing.
    pub before_seq: u64,
    /// What was lost, and why.
    pub what: Vec<String>,
}

impl std::fmt::Display for HistoryLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "history was lost when the daemon was replaced ({})", self.what.join("; "))
    }
}

/// The part that was left out of a long text, between its head and its tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Bytes.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Where the gap is: after this many lines of the returned text.
    pub after_lines: usize,
    /// To read the missing part with view `new`: give this as `offset` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// … and this as `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Images that a program sent; they have no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Images {
    /// `sixel`, `kitty` or `iterm2`.
    pub kind: String,
    /// How many sequences; a large image may come in several.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The state of a session's recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// Whether the session is recorded.
    pub on: bool,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Bytes of output that could not be recorded.
    pub lost_bytes: u64,
    /// Why nothing can be written now; the daemon tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Conditions to wait for. The first that holds wins; the program's end ends every wait. Every face offers all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wait {
    /// Until this text appears, or is already there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Until this regular expression matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Until there was no output for this many ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Until the shell waits for a command.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub prompt: bool,
    /// Until the program ends.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub exit: bool,
    /// Until the program asks for a secret.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub secret: bool,
    /// Until the program has read the input and reads again (REPLs, prompts).
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub reads: bool,
    /// Until no person has the keyboard.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub keyboard: bool,
    /// Until all of the conditions hold at once, instead of any.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub all: bool,
    /// A match of this regular expression ends the wait in any case, e.g. "error|failed".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Only output after this counts: a `seq`, `since` or `next_since` of an answer. Default: since the last input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Longest wait in ms. Default: 30000 if there is a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Wait {
    /// The given conditions.
    fn conditions(&self) -> impl Iterator<Item = Met> {
        let all = [
            (self.text.is_some(), Met::Text),
            (self.regex.is_some(), Met::Regex),
            (self.prompt, Met::Prompt),
            (self.secret, Met::Secret),
            (self.keyboard, Met::Keyboard),
            (self.reads, Met::Reads),
            (self.idle_ms.is_some(), Met::Idle),
            (self.exit, Met::Exit),
            (self.stop.is_some(), Met::Stop),
        ];
        all.into_iter().filter_map(|(named, met)| named.then_some(met))
    }

    /// Whether a condition is given, not only a timeout.
    pub fn has_condition(&self) -> bool {
        self.conditions().next().is_some()
    }

    /// The first given condition.
    pub fn first(&self) -> Option<Met> {
        self.conditions().next()
    }
}

/// Which condition ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// The text appeared.
    Text,
    /// The pattern matched.
    Regex,
    /// There was no output for the given time.
    Idle,
    /// The shell waits for a command.
    Prompt,
    /// The program asks for a secret.
    Secret,
    /// The program reads the terminal again.
    Reads,
    /// The keyboard is free.
    Keyboard,
    /// All of the conditions hold.
    All,
    /// The `stop` pattern matched.
    Stop,
    /// The program ended.
    Exit,
    /// No condition held in time.
    Timeout,
}
