//! The tool set `tui`: the windows of a desktop. They are there with or without somebody who looks at them.

mod create_window;
mod terminal_read;
mod terminal_write;

use cotty_protocol::op::{SessionInfo, info, list};
use cotty_protocol::{Code, Fault};

use super::sets::ToolSet;
use super::tool::{Call, Entry, entry};
use crate::ops::{Info, List, perform};

pub(super) static SET: ToolSet = ToolSet { name: "tui", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "\
The tui_* tools open terminal windows, type into them and read what they show. They are real terminals that stay: they \
outlive your process, and a person can watch them and type too.
- tui_create_window opens one with your shell; keep its window_id.
- tui_terminal_write types: \\n is the Enter key, \\u0003 Ctrl-C, \\u001b Escape.
- tui_terminal_read shows the window's text. Programs need time: read again until what you wait for is there, or \
`state` is \"prompt\".
- Without a window_id the front-most window is meant: the one that you used last.
- KEYBOARD_HELD: a person is typing; read again later. SECRET_INPUT: a program asks for a secret; ask the person to type \
it, you cannot.";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[
    entry::<create_window::CreateWindow>(),
    entry::<terminal_write::TerminalWrite>(),
    entry::<terminal_read::TerminalRead>(),
];

/// The front-most window of the caller. A process inside a session has none: its own is not its to type into.
const FRONT: &str = "active";

fn window(number: u32) -> String {
    format!("win_{number}")
}

/// The window that is meant.
async fn look(call: &Call, window_id: Option<String>) -> Result<SessionInfo, Fault> {
    let named = window_id.filter(|id| !id.is_empty());
    let session = named.clone().unwrap_or_else(|| FRONT.to_owned());
    match perform::<Info>(call.context.clone(), info::Params { session }).await.map_err(in_our_words) {
        Err(fault) if is_missing(fault.code) => Err(missing(call, fault.code, named.is_some()).await),
        found => found,
    }
}

fn is_missing(code: Code) -> bool {
    matches!(code, Code::SessionNotFound | Code::SessionDestroyed | Code::NotYours)
}

/// No such window, with those that there are.
async fn missing(call: &Call, code: Code, named: bool) -> Fault {
    let listed = perform::<List>(call.context.clone(), list::Params::default())
        .await
        .map_err(in_our_words)
        .map(|listed| listed.sessions);
    let windows: Vec<String> = listed.unwrap_or_default().iter().map(|info| window(info.number)).collect();
    let message = if named { "window not found or not a terminal" } else { "no terminal window" };
    let hint = match windows.is_empty() {
        true => "open one (tui_create_window)".to_owned(),
        false => format!("there are: {}", windows.join(", ")),
    };
    Fault::new(code, message).with_hint(hint)
}

/// What to do about an error, in this set's words.
pub(super) fn in_our_words(fault: Fault) -> Fault {
    let hint = match fault.code {
        Code::KeyboardHeld => "read again (tui_terminal_read) until keyboard_held_by is gone",
        Code::SecretInput => {
            "ask the person to type it, or leave the question with the text \"\\u0003\" (Ctrl-C)"
        }
        Code::ProcessExited => "its last text can be read; open a new one (tui_create_window)",
        _ => return fault,
    };
    fault.with_hint(hint)
}
