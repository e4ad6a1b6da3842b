//! The tool set `tui`: the windows of a desktop. They exist whether or not anyone views them.

mod create_window;
mod terminal_read;
mod terminal_write;

use cotty_protocol::error::Step;
use cotty_protocol::op::{SessionInfo, info, list};
use cotty_protocol::{ApiError, Code};

use crate::face::mcp::advice::Phrase;
use crate::face::mcp::contract::tool::{Call, ToolEntry, entry};
use crate::face::mcp::sets::{InstructionLine, ToolSet, item, line, say};
use crate::ops::perform;

pub(crate) static SET: ToolSet = ToolSet { name: "tui", tools: TOOLS, instructions: INSTRUCTIONS, phrase };

const CREATE: &str = "tui_create_window";
const WRITE: &str = "tui_terminal_write";
const READ: &str = "tui_terminal_read";

static INSTRUCTIONS: &[InstructionLine] = &[
    line(&[
        say(&[], "The tui_* tools open terminal windows, type into them and read what they show."),
        say(
            &[],
            "They are real terminals that stay: they outlive your process, and a person can watch them and type too.",
        ),
    ]),
    item(&[say(&[CREATE], "tui_create_window opens one with your shell; keep its window_id.")]),
    item(&[say(&[WRITE], "tui_terminal_write types: \\n is the Enter key, \\u0003 Ctrl-C, \\u001b Escape.")]),
    item(&[
        say(&[READ], "tui_terminal_read shows the window's text."),
        say(
            &[READ],
            "Programs need time: read again until the text you wait for is there, or `state` is \"prompt\".",
        ),
    ]),
    item(&[say(&[], "The default window_id is the front-most window: the one you used last.")]),
    item(&[say(
        &[],
        "KEYBOARD_HELD: a person is typing; read again later. SECRET_INPUT: a program asks for a secret; ask the person to type it, you cannot.",
    )]),
];

/// In the order in which an agent needs them.
static TOOLS: &[ToolEntry] = &[
    entry::<create_window::CreateWindow>(),
    entry::<terminal_write::TerminalWrite>(),
    entry::<terminal_read::TerminalRead>(),
];

/// The front-most window of the caller. A process inside a session has none: it may not type into its own session.
const FRONT: &str = "active";

fn window(number: u32) -> String {
    format!("win_{number}")
}

/// The window that a call names, or the front-most one.
async fn find_window(call: &Call, window_id: Option<String>) -> Result<SessionInfo, ApiError> {
    let named = window_id.filter(|id| !id.is_empty());
    let session = named.clone().unwrap_or_else(|| FRONT.to_owned());
    match perform(call.context.clone(), info::Params { session }).await {
        Err(error) if is_missing(error.code()) => Err(missing(call, error.code(), named.is_some()).await),
        found => found,
    }
}

fn is_missing(code: Code) -> bool {
    matches!(code, Code::SessionNotFound | Code::SessionDestroyed | Code::NotYours)
}

/// The error for an unknown window, with the known ones.
async fn missing(call: &Call, code: Code, named: bool) -> ApiError {
    let listed = perform(call.context.clone(), list::Params::default()).await.map(|listed| listed.sessions);
    let known = listed.unwrap_or_default().iter().map(|info| window(info.number)).collect();
    ApiError::NoWindow { named, known, code }
}

/// Which of these tools performs a step.
fn phrase(step: &Step) -> Phrase {
    use Phrase::{Call, Plain, Unsaid, Words, WordsCall};
    match step {
        Step::WaitForKeyboard => WordsCall("read again until keyboard_held_by is gone", READ, ""),
        Step::ReadScreen | Step::ReadNew => Call(READ, ""),
        Step::ReadLastScreen => WordsCall("read its last text", READ, ""),
        Step::AskForSecret => Words("ask the person to type it"),
        Step::LeaveSecret => Words("cancel the prompt with the text \"\\u0003\" (Ctrl-C)"),
        Step::CreateSession => WordsCall("open a new one", CREATE, ""),
        Step::OpenWindow => Call(CREATE, ""),
        Step::DestroySession | Step::ReadRecording => Unsaid,
        Step::TakeKeyboard | Step::ListRequests | Step::OpenPanel => Unsaid,
        Step::MakeToken => Words("ask the person for a token that is not read-only"),
        _ => Plain,
    }
}
