//! The operations' parameters and replies, one module each, named as the operation is.

pub mod commands;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod configure;
pub mod keyboard;
pub mod mouse;
pub mod resize;
pub mod search;
pub mod signal;

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
    /// A program runs.
    Running {
        /// The one that may read the terminal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
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
    /// Whose it is.
    pub owner: String,
    /// The directory of its foreground program, now.
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
}

/// What was left out of a long text, between its head and its tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Bytes.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Where it begins in the whole text: read with this as `offset` …
    pub offset: usize,
    /// … and this as `since`.
    pub since: u64,
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

/// Conditions to wait for; the first that holds wins, and the program's exit ends every wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wait {
    /// This text appears in what came since `since`, or on the screen if that is newer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A match of this regular expression appears.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// No output for this many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// The shell waits for a command.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub prompt: bool,
    /// The program ends.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub exit: bool,
    /// The program asks for a secret.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub secret: bool,
    /// The program has taken what was typed and reads the terminal again.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub reads: bool,
    /// No person has the keyboard.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub keyboard: bool,
    /// All of the conditions at once, instead of any.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub all: bool,
    /// A match of this ends the wait, whatever else is waited for: `error|failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Only what came after this many bytes of output counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Give up after this many milliseconds; 30,000 where a condition is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
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

/// `create`: starts a program in a terminal of its own.
pub mod create {
    use super::{Dimensions, JsonSchema};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    /// What to start, and how.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// The program; the caller's shell where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub program: Option<String>,
        /// Its arguments.
        pub args: Vec<String>,
        /// A name to find it by.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// Rows; 24 where none are given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rows: Option<u16>,
        /// Columns; 80 where none are given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cols: Option<u16>,
        /// Variables on top of the caller's environment.
        pub env: BTreeMap<String, String>,
        /// Its directory; the caller's where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cwd: Option<String>,
        /// What a prompt looks like on the cursor's line: a regular expression. Where one is given it decides, also in a
        /// shell that marks its prompts.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub prompt_pattern: Option<String>,
        /// What its output may do beyond showing things; nothing where nothing is named.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub allow: Vec<Allow>,
        /// Answer only when the shell waits for a command. Default: true for shells.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub wait_ready: Option<bool>,
        /// But not later than this; 5,000 where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ready_timeout_ms: Option<u64>,
        /// Keep a recording of it. Default: true.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub record: Option<bool>,
    }

    /// What output can do to the one who shows it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Allow {
        /// Have the title sent back, as if it were typed.
        Title,
        /// Have what it put into the clipboard sent back.
        Clipboard,
        /// Have sums of what the screen shows sent back.
        Checksum,
        /// Change the terminal's size.
        Resize,
    }

    /// What was started.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Its id.
        pub session_id: String,
        /// Its number.
        pub number: u32,
        /// Its process id.
        pub pid: u32,
        /// The program's path.
        pub program: String,
        /// Its size.
        pub dimensions: Dimensions,
        /// Whether the shell waits for a command.
        pub ready: bool,
        /// Bytes of output processed.
        pub seq: u64,
    }
}

/// `send`: types into a session.
pub mod send {
    use super::JsonSchema;
    use super::mouse::Mouse;
    use serde::{Deserialize, Serialize};

    /// When typed text is put in paste brackets.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Paste {
        /// When the program asked for it and the text has several lines.
        #[default]
        Auto,
        /// Always.
        Always,
        /// Never.
        Never,
    }

    /// What can happen to a key.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum KeyEvent {
        /// It goes down.
        #[default]
        Press,
        /// It is held.
        Repeat,
        /// It goes up.
        Release,
    }

    /// What the line discipline does with a character, whichever the program set for it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Control {
        /// Interrupts the program.
        Interrupt,
        /// Ends its input.
        Eof,
        /// Suspends it.
        Suspend,
    }

    /// What to type: text, one key, the mouse, or bytes as they are.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
        /// Text; each line end is the Enter key.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
        /// A key: `up`, `enter`, `f5`, `c`, `ctrl+c`, `^C`, `<Esc>`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub key: Option<String>,
        /// With Control.
        pub ctrl: bool,
        /// With Alt.
        pub alt: bool,
        /// With Shift.
        pub shift: bool,
        /// Paste brackets.
        pub paste: Paste,
        /// What happens to the key; only programs that asked for it hear of more than `press`.
        pub event: KeyEvent,
        /// Whether `text` has keys written into it: `^C`, `^[`, `[UP]`, `[F5]`; `\\^` and `\\[` are the characters.
        pub special: bool,
        /// What the terminal itself understands.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub control: Option<Control>,
        /// What the mouse does; `ctrl`, `alt` and `shift` go with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mouse: Option<Mouse>,
        /// Bytes as they are, in base64.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bytes: Option<String>,
    }

    /// What was typed.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Bytes written for the program to read.
        pub bytes: u64,
        /// Output processed before they were written: read or wait from here.
        pub seq: u64,
        /// For agents: whether the program took the bytes, within a tenth of a second.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub consumed: Option<bool>,
        /// Whether the screen changed beyond the echo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reacted: Option<bool>,
        /// Whether the shell began a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub submitted: Option<bool>,
    }
}

/// `read`: what a session shows.
pub mod read {
    use super::{Activity, Dimensions, JsonSchema, LeftOut, Met, Place, Wait};
    use serde::{Deserialize, Serialize};

    /// Which part to read.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum View {
        /// What a person would see.
        #[default]
        Screen,
        /// What came since this reader's last read, as a person would have seen it.
        New,
        /// The rows of the screen that changed since this reader's last read.
        Changes,
        /// What left the screen.
        Scrollback,
    }

    /// How to write it down.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Format {
        /// Text alone.
        #[default]
        Plain,
        /// With colours, as escape sequences.
        Raw,
    }

    /// What to read, and what to wait for first.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
        /// Which part.
        pub view: View,
        /// How.
        pub format: Format,
        /// For `new`: from this many bytes of output on, instead of this reader's place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub since: Option<u64>,
        /// For `scrollback`: lines to skip, from the newest. For `new`: bytes to skip, to page through a long text.
        pub offset: usize,
        /// Most bytes of text: of a longer one its head and its tail, with what was left out counted. All where none are
        /// given, or 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_bytes: Option<usize>,
        /// For `scrollback`: most lines to answer with; 1,000 where none are given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<usize>,
        /// Wait for this first.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub wait: Option<Wait>,
        /// Whose place `new` and `changes` read from; the owner's where none is named.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reader: Option<String>,
    }

    /// What was read.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// The text.
        pub content: String,
        /// Lines in it.
        pub lines: usize,
        /// For `changes`: the row of each line, from 1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub rows: Vec<u16>,
        /// What stands between the head and the tail of a long text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub left_out: Option<LeftOut>,
        /// The cursor, 1-based, for the screen.
        pub cursor: Option<Place>,
        /// The session's size.
        pub dimensions: Dimensions,
        /// Whether anything came since this reader's last read.
        pub has_new_content: bool,
        /// Whether the shell waits for a command.
        pub prompt_detected: bool,
        /// Whether nothing came for the time waited for.
        pub idle: bool,
        /// Whether the program has ended.
        pub exited: bool,
        /// With what.
        pub exit_code: Option<i32>,
        /// What it is doing.
        pub activity: Activity,
        /// Lines that the limits had dropped before they were read.
        pub dropped_lines: u64,
        /// Go on from here.
        pub seq: u64,
        /// How the wait ended, where there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub met: Option<Met>,
    }
}

/// `wait`: until something is true of a session.
pub mod wait {
    use super::{Activity, JsonSchema, Met, Wait};
    use serde::{Deserialize, Serialize};

    /// Which session, and for what.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
        /// The conditions.
        #[serde(flatten)]
        pub wait: Wait,
    }

    /// How it ended.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Which condition held.
        pub met: Met,
        /// After how long.
        pub elapsed_ms: u64,
        /// What the session is doing.
        pub activity: Activity,
        /// Whether the program has ended.
        pub exited: bool,
        /// With what, where it ended by itself.
        pub exit_code: Option<i32>,
        /// By which signal, where one ended it.
        pub signal: Option<i32>,
        /// Bytes of output processed.
        pub seq: u64,
        /// The screen at that moment.
        pub screen: String,
        /// The line that was waited for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub matched: Option<String>,
        /// Why nothing held, where nothing did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub why: Option<String>,
    }
}

/// `run`: one command in a shell, with its own output and exit code.
pub mod run {
    use super::{Activity, JsonSchema};
    use serde::{Deserialize, Serialize};

    /// What to run, and where.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name of a session whose shell waits for a command.
        pub session: String,
        /// The command, one line or several.
        pub command: String,
        /// Answer `running` after this many milliseconds; 30,000 where none are given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub timeout_ms: Option<u64>,
    }

    /// How far it came.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Outcome {
        /// It ended.
        Done,
        /// It runs on; the output is what it said so far.
        Running,
        /// The shell itself ended.
        Exited,
    }

    /// What became of it.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// How far it came.
        pub outcome: Outcome,
        /// Its own output, without prompt and echo.
        pub output: String,
        /// Its exit code, once it ended.
        pub exit_code: Option<i32>,
        /// How long it took, or has taken so far.
        pub duration_ms: u64,
        /// The shell's directory afterwards.
        pub cwd: Option<String>,
        /// What the session is doing.
        pub activity: Activity,
        /// Lines of output that the limits had dropped.
        pub dropped_lines: u64,
        /// Go on from here.
        pub seq: u64,
    }
}

/// `list`: all sessions.
pub mod list {
    use super::{JsonSchema, SessionInfo};
    use serde::{Deserialize, Serialize};

    /// Whose.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// For an agent: name the sessions of other owners, too.
        pub all: bool,
    }

    /// The sessions, oldest first.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Each of them; for an agent, each of its owner's.
        pub sessions: Vec<SessionInfo>,
        /// How many.
        pub count: usize,
        /// What other owners have, where it was asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub others: Vec<Other>,
    }

    /// A session of another owner.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Other {
        /// Its id.
        pub session_id: String,
        /// Its number.
        pub number: u32,
        /// Its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// Whose it is.
        pub owner: String,
    }
}

/// `info`: one session.
pub mod info {
    use super::{JsonSchema, SessionInfo};
    use serde::{Deserialize, Serialize};

    /// Which session.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
    }

    /// All that is known of it.
    pub type Reply = SessionInfo;
}

/// `destroy`: ends a session with everything it started.
pub mod destroy {
    use super::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// Which session, and how.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
        /// Kill at once instead of asking first.
        pub force: bool,
    }

    /// How it ended.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Always true: a failure is an error.
        pub destroyed: bool,
        /// The program's exit code; null if a signal ended it.
        pub exit_code: Option<i32>,
        /// Processes that set themselves free and could not be ended.
        pub left_running: Vec<String>,
    }
}

/// `recording`: what a session's terminal said and was told, also of one that is long gone.
pub mod recording {
    use super::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// How to write it down.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Format {
        /// An asciicast, version 3.
        #[default]
        Cast,
        /// The text that a person would have seen.
        Text,
        /// A line of JSON for each thing that happened.
        Jsonl,
    }

    /// Which session, how, and which part.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name; of a session that is gone best its id.
        pub session: String,
        /// How.
        pub format: Format,
        /// Go on from here: what the page before answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next: Option<String>,
        /// About how many bytes to answer with; 262,144 where none are given, at most 4,194,304.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<usize>,
    }

    /// A page of it.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// The session's id.
        pub session_id: String,
        /// What stands there.
        pub content: String,
        /// Go on from here.
        pub next: String,
        /// Whether this is all there is so far.
        pub end: bool,
    }
}

/// `capture`: a session's output in a file of its own.
pub mod capture {
    use super::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// What to do.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Action {
        /// Write all output from now on.
        #[default]
        Start,
        /// No longer.
        Stop,
    }

    /// Which session, and what to do.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// Id, number or name.
        pub session: String,
        /// Start or stop.
        pub action: Action,
        /// For `start`: the file's directory; one of cotty's own where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dir: Option<String>,
    }

    /// The capture.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Its file: a line of JSON for each piece, with `timestamp` and `data`.
        pub capture_file: String,
        /// Bytes of output in it.
        pub bytes_captured: u64,
        /// Bytes of output that could not be written.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub bytes_lost: u64,
        /// How long it has gone on.
        pub duration_seconds: f64,
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_zero(bytes: &u64) -> bool {
        *bytes == 0
    }
}

/// `purge`: takes recordings away.
pub mod purge {
    use super::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// Which: exactly one of `session`, `older_than_seconds` and `all`.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {
        /// That of this session, by id, number or name.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub session: Option<String>,
        /// Those that did not change for so long.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub older_than_seconds: Option<u64>,
        /// All.
        pub all: bool,
        /// Also of live sessions, all but their newest part.
        pub live: bool,
    }

    /// What was taken away.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// Whole recordings.
        pub recordings: u64,
        /// Parts of recordings that go on.
        pub segments: u64,
        /// Bytes of both.
        pub bytes: u64,
        /// Recordings of live sessions that were meant too, and stay.
        pub kept_live: u64,
    }
}

/// `status`: the daemon itself.
pub mod status {
    use super::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// No parameters.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Params {}

    /// What runs, and where it listens.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct Reply {
        /// The daemon's process id.
        pub pid: u32,
        /// The keeper's process id.
        pub keeper_pid: u32,
        /// Its version.
        pub version: String,
        /// Where the page is: `http://127.0.0.1:7420`.
        pub http: String,
        /// The page with its token.
        pub link: String,
        /// The Unix socket.
        pub socket: String,
        /// Sessions whose program runs.
        pub live: usize,
        /// Sessions whose program has ended and that can still be read.
        pub exited: usize,
    }
}
