//! The operations: their parameters and replies, one module each, named as the operation is.

pub mod mouse;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An operation is the value that asks for it: its parameters, which know its name and what is answered.
pub trait Operation: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// As it is called.
    const NAME: &'static str;
    /// What it answers.
    type Reply: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// One module for each, with its `Params` and its `Reply`.
macro_rules! operations {
    ($($name:ident,)*) => {
        $(
            pub mod $name;
            impl Operation for $name::Params {
                const NAME: &'static str = stringify!($name);
                type Reply = $name::Reply;
            }
        )*
        /// Their names.
        pub const OPERATIONS: &[&str] = &[$(stringify!($name),)*];
    };
}

/// Hands the list of all operations to a macro: whoever needs something for each has it here.
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
            run,
            search,
            search_recordings,
            send,
            signal,
            snapshot,
            status,
            token_list,
            token_new,
            token_revoke,
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

/// What a session is doing, as far as can be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Activity {
    /// The shell waits for a command.
    Prompt,
    /// A program is at work.
    Running {
        /// The one that may read the terminal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// A program waits for what is typed.
    WaitingForInput {
        /// Which.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// A program shows text page by page.
    Pager {
        /// Which.
        program: String,
    },
    /// An editor is open.
    Editor {
        /// Which.
        program: String,
    },
    /// The program reads a line without showing it: a secret is asked for.
    SecretInput,
    /// What is shown looks like a question for a secret, inside ssh, a container or a multiplexer.
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
    /// The name its maker gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The title that the program set.
    pub title: String,
    /// The program's path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Both as one line, or the line that it was made from.
    pub command: String,
    /// Its process id.
    pub pid: u32,
    /// ISO 8601.
    pub created_at: String,
    /// Its size.
    pub dimensions: Dimensions,
    /// The cursor, 1-based.
    pub cursor: Place,
    /// Whether the program has ended.
    pub exited: bool,
    /// With what, where it ended by itself.
    pub exit_code: Option<i32>,
    /// By which signal, where one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// No errors, not exited.
    pub healthy: bool,
    /// What it is doing.
    pub activity: Activity,
    /// Whether a signal stopped the program in the foreground.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub stopped: bool,
    /// Which of its owner's panels it is, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel_id: Option<String>,
    /// Whose it is.
    pub owner: String,
    /// The directory of its foreground program, now; where it has ended, the one that it began in.
    pub cwd: Option<String>,
    /// Bytes of output processed.
    pub seq: u64,
    /// Who may type.
    pub keyboard: keyboard::Reply,
    /// Lines of history it keeps.
    pub history_lines: usize,
    /// Milliseconds since anything came or was typed.
    pub idle_ms: u64,
    /// How its recording goes.
    pub recording: Recording,
    /// What an agent asks of people here, while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<requests::HandoffRequest>,
    /// What a daemon could not take over from the one before it, where that happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_lost: Option<HistoryLost>,
    /// Whether its history is longer than the journal: then a daemon that cannot read this one's checkpoints loses the
    /// rest of it.
    #[serde(default)]
    pub checkpointed: bool,
}

/// What a daemon could not take over from the one before it: the program goes on, history is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryLost {
    /// When, in ISO 8601.
    pub at: String,
    /// Output before this is missing.
    pub before_seq: u64,
    /// What, and why.
    pub what: Vec<String>,
}

impl std::fmt::Display for HistoryLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "history was lost when the daemon was replaced ({})", self.what.join("; "))
    }
}

/// What was left out of a long text, between its head and its tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Bytes.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// It is missing behind this many lines of the text that is here: between the head's last line and the tail's first.
    pub after_lines: usize,
    /// Where it begins in the whole text, for what `new` can read again: read with this as `offset` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// … and this as `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Images that a program sent and that no text shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Images {
    /// `sixel`, `kitty` or `iterm2`.
    pub kind: String,
    /// How many sequences; a large image may come in several.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How a session's recording goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// Whether the session is recorded.
    pub on: bool,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Bytes of output that could not be recorded.
    pub lost_bytes: u64,
    /// Why nothing can be written now; it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Conditions to wait for; the first that holds wins, and the program's end ends every wait. Every face offers all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wait {
    /// Until this text appears, or stands there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Until this regular expression matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Until no output came for this many ms.
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
    /// Until the program took what was typed and reads again (REPLs, questions).
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub reads: bool,
    /// Until no person has the keyboard.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub keyboard: bool,
    /// Until all of the conditions hold at once, instead of any.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub all: bool,
    /// A match of this regular expression ends the wait whatever else is waited for, e.g. "error|failed".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Count only output after this: a `seq`, `since` or `next_since` of another answer. Default: since the last input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Longest wait in ms. Default: 30000 where a condition is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Wait {
    /// The conditions that it names, in the order in which they win.
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

    /// Whether it names a condition, and not a time alone.
    pub fn has_condition(&self) -> bool {
        self.conditions().next().is_some()
    }

    /// The first condition that it names.
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
    /// Nothing came for the asked time.
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
    /// What should not happen did.
    Stop,
    /// The program ended.
    Exit,
    /// Nothing of it, in time.
    Timeout,
}
