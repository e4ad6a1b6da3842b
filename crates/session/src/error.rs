use std::io;
use std::time::Duration;

use cotty_pty::KeeperError;

use crate::{Activity, PleaOutcome, PolicyError, has_a_terminal_inside};

/// Why an operation on a session was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Never there.
    #[error("Session not found: {0}")]
    NotFound(String),
    /// Was there.
    #[error("Session already destroyed: {0}")]
    Destroyed(String),
    /// More are not allowed.
    #[error("Maximum sessions reached ({limit})")]
    TooMany {
        /// The limit that was reached.
        limit: usize,
        /// Those that were quiet longest, to be ended first.
        idle: Vec<String>,
    },
    /// It is no name.
    #[error("{0}")]
    BadName(String),
    /// Another session has it.
    #[error("there is already a session named `{0}`")]
    NameTaken(String),
    /// No such program on the child's PATH, or not to be executed.
    #[error("Program not found: {0}")]
    ProgramNotFound(String),
    /// The working directory cannot be entered.
    #[error("cannot enter the directory {dir}: {error}")]
    Directory {
        /// Which one.
        dir: String,
        /// Why.
        error: io::Error,
    },
    /// The kernel gave no terminal.
    #[error("PTY error: {0}")]
    Pty(String),
    /// Each session takes a few descriptors, and there are no more.
    #[error("the limit of open files is reached ({0})")]
    OpenFiles(u64),
    /// Reading or writing failed.
    #[error("IO error: {0}")]
    Io(#[from] io::Error),
    /// The keeper said no.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// Nothing could be judged.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The task behind the handle is gone.
    #[error("Session has error: {0}")]
    Broken(String),
    /// The program has ended.
    #[error("Process has exited{}", .0.map_or_else(|| " by a signal".to_owned(), |code| format!(" with code {code}")))]
    Exited(Option<i32>),
    /// Another call is typing.
    #[error("another call has been typing into this session for {:.1} s: {with}", *.ms as f64 / 1000.0)]
    Busy {
        /// What that call does.
        with: String,
        /// For how long.
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
    /// Another has the keyboard, or nobody.
    #[error("the keyboard is not yours")]
    KeyboardNotYours,
    /// Only a person may do that.
    #[error("only a person can do that")]
    NotAPerson,
    /// A secret is asked for.
    #[error("{}", if *.suspected { "this looks like a question for a secret" } else { "the program asks for a secret" })]
    Secret {
        /// Told from its look, not by the kernel.
        suspected: bool,
    },
    /// What the program reads has no way to say that such a modifier is held.
    #[error("Invalid key: the program cannot be told of super (cmd, win) or hyper")]
    Modifier {
        /// Which key they were held with.
        code: cotty_vt::KeyCode,
    },
    /// The program did not ask for the mouse.
    #[error("the program did not ask for {}", program.as_ref().map_or("the mouse".to_owned(), |p| format!("the mouse: `{p}`")))]
    MouseOff {
        /// Which.
        program: Option<String>,
    },
    /// No such text to click on.
    #[error("`{label}` is not on the screen{}", if *.nth > 1 { format!(" {nth} times") } else { String::new() })]
    LabelNotFound {
        /// Which text.
        label: String,
        /// Which of several.
        nth: usize,
    },
    /// The session is another owner's.
    #[error("session {id} belongs to {owner}")]
    NotYours {
        /// Its id.
        id: String,
        /// Whose it is.
        owner: String,
    },
    /// The shell does not wait for a command.
    #[error("the shell is not waiting for a command{}", doing(.activity))]
    NotAtPrompt {
        /// What goes on instead.
        activity: Activity,
        /// For how long it is worth waiting: the shell is on its way to its prompt, or the program was just told something.
        soon: Duration,
    },
    /// Somebody began a line.
    #[error("{}", if *.entered { "the command line is not complete: the shell waits for the rest" } else { "there is already something on the command line" })]
    LineBegun {
        /// And entered it, but there is more to come: a quote or a block is open.
        entered: bool,
    },
    /// No marks, so no commands.
    #[error("this session has no shell that marks its commands")]
    NoShell,
    /// A rule says no.
    #[error("the line was refused: {reason}")]
    Denied {
        /// Which, in words.
        reason: String,
    },
    /// A regular expression does not compile.
    #[error("Invalid pattern: {0}")]
    BadPattern(String),
    /// Something else in the call is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Its output is captured already.
    #[error("the session's output is already captured, in {}", .0.display())]
    Capturing(std::path::PathBuf),
    /// Its output is not captured.
    #[error("the session's output is not captured")]
    NotCapturing,
    /// A person is asked for something already.
    #[error("a person was already asked here ({id}): {message}")]
    AlreadyAsked {
        /// The open plea.
        id: String,
        /// What is asked.
        message: String,
    },
    /// Likewise, and who asks now is not to know more of it.
    #[error("a person was already asked here, by somebody else")]
    OtherAsked,
    /// No such plea, or no more.
    #[error("nobody was asked under the id {0}")]
    NoPlea(String),
    /// It has ended.
    #[error("{id} is over: {}", match outcome {
        PleaOutcome::Completed => "it was completed",
        PleaOutcome::Declined => "it was declined",
        PleaOutcome::Timeout => "nobody saw to it in time",
        PleaOutcome::Cancelled => "it was withdrawn",
    })]
    PleaOver {
        /// Which.
        id: String,
        /// How it ended.
        outcome: PleaOutcome,
    },
    /// Nothing was recorded of it, or it is gone.
    #[error("there is no recording of {0}")]
    NoRecording(String),
    /// The daemon is ending.
    #[error("the daemon is shutting down")]
    ShuttingDown,
}

fn doing(activity: &Activity) -> String {
    match activity {
        Activity::Running(Some(program)) if has_a_terminal_inside(program) => {
            format!(": `{program}` is running, with terminals of its own")
        }
        Activity::Running(Some(program)) => format!(": `{program}` is running"),
        Activity::WaitingForInput(Some(program)) => format!(": `{program}` is running and waits for input"),
        Activity::Pager(program) => format!(": `{program}` is running and shows a page"),
        Activity::Editor(program) => format!(": `{program}` is running, an editor"),
        _ => String::new(),
    }
}

/// How to get from what goes on to the shell's prompt.
fn way_to_prompt(activity: &Activity) -> &'static str {
    match activity {
        Activity::WaitingForInput(_) => {
            "type into it, or leave it first: a shell or an interpreter with `exit` or ctrl+d, most others with ctrl+c"
        }
        Activity::Pager(_) => "leave it first, with q",
        Activity::Editor(_) => "leave it first, with its own command",
        Activity::Running(Some(program)) if has_a_terminal_inside(program) => {
            "type into it, or leave it first"
        }
        _ => "wait for the prompt, or interrupt the program with ctrl+c",
    }
}

impl SessionError {
    /// The next step to try, in words a person or a model can act on.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotFound(_) => "list the sessions to see which there are",
            Self::Destroyed(_) => "create a new session",
            Self::TooMany { idle, .. } => {
                return Some(format!(
                    "end one that is no longer needed, longest idle first: {}",
                    idle.join(", ")
                ));
            }
            Self::BadName(_) => {
                "a name has 1 to 64 letters (a to z), digits, `-`, `_` and `.`, is no number, is not `active`, and is none of cotty's own (`sess_…`, `win_3`)"
            }
            Self::NameTaken(name) => {
                return Some(format!(
                    "give another name: `{name}` is that session's for as long as it is there"
                ));
            }
            Self::ProgramNotFound(program) if program.contains(' ') => {
                "program is its name or path alone: arguments go into args"
            }
            Self::ProgramNotFound(_) => "give the program's path, or a PATH in env that has it",
            Self::Directory { .. } => "give a directory that exists and that you may enter",
            Self::Pty(_) => "destroy sessions that are no longer needed; `kernel.pty.max` limits them all",
            Self::OpenFiles(_) => {
                "destroy sessions that are no longer needed, or start cotty where `ulimit -Hn` is higher"
            }
            Self::Exited(_) => "read it, then destroy it and create a new session",
            Self::Busy { .. } => "wait for that call to end, or cancel it",
            Self::KeyboardHeld { ends_in_ms: Some(ms), .. } => {
                return Some(format!(
                    "wait for the keyboard (a wait with `keyboard`); it comes back {} s after the last key",
                    ms.div_ceil(1000)
                ));
            }
            Self::KeyboardHeld { ends_in_ms: None, .. } => {
                "wait for the keyboard (a wait with `keyboard`), or ask the person to give it back"
            }
            Self::KeyboardNotYours => "take the keyboard first",
            Self::NotAPerson => "ask the person to do it",
            Self::Secret { .. } => {
                "ask a person to type it, then wait until it is no longer asked for; ctrl+c leaves the question"
            }
            Self::Modifier { code: cotty_vt::KeyCode::Char(c) } => {
                return Some(format!("did you mean `ctrl+{c}`?"));
            }
            Self::Modifier { .. } => "use ctrl, alt or shift",
            Self::MouseOff { .. } => "use keys instead",
            Self::LabelNotFound { .. } => "read the screen, and give the text exactly as it stands there",
            Self::NotYours { .. } => "use a session of your own: list them to see which there are",
            Self::NotAtPrompt { activity, .. } => way_to_prompt(activity),
            Self::LineBegun { entered: true } => "type the rest, or send ctrl+c to drop it",
            Self::LineBegun { entered: false } => {
                "send ctrl+u to clear it or enter to run it, then try again"
            }
            Self::NoShell => "use send and wait instead, or create a session with bash, zsh or fish",
            Self::Denied { .. } => "do it another way, or ask a person",
            Self::BadPattern(_) => "escape what is meant literally, or use text instead of regex",
            Self::Capturing(_) => "stop that capture first",
            Self::NotCapturing => "start one first",
            Self::AlreadyAsked { id, .. } => {
                return Some(format!("wait for that one ({id}), or withdraw it first"));
            }
            Self::OtherAsked => "ask again when that is over",
            Self::NoPlea(_) => "one that has ended is known for ten minutes; ask anew",
            Self::PleaOver { .. } => "there is nothing more to do",
            Self::NoRecording(_) => "recordings are kept for days, not for ever; ask by the session's id",
            Self::Io(_)
            | Self::Keeper(_)
            | Self::Policy(_)
            | Self::Broken(_)
            | Self::Invalid(_)
            | Self::ShuttingDown => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}
