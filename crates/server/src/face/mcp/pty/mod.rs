//! The tool set `pty`: `pty_*` tools with small numbers for ids.

mod get_cursor;
mod get_screen;
mod kill;
mod launch;
mod list;
mod reference;
mod request_user_input;
mod resize;
mod send_keys;
mod set_scrollback;
mod start_capture;
mod stop_capture;

use cotty_protocol::op::{SessionInfo, info};
use cotty_protocol::{Code, Fault};

use self::reference::Reference;
use super::sets::ToolSet;
use super::tool::{Call, Entry, entry};
use crate::ops::{Info, perform};

pub(super) static SET: ToolSet = ToolSet { name: "pty", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "\
The pty_* tools give you real terminals that stay: they outlive your process, and a person can watch them and type too.
- pty_launch starts your shell or a command line; keep its session_id.
- pty_send_keys types. A newline is the Enter key. With special true, ^C, ^[ (Escape), [UP], [PGDN], [F5] … in the keys \
are keys; without it all is text.
- pty_get_screen shows what a person would see. Programs need time: look again until `state` is \"prompt\" or \
\"exited\", or what you wait for is there. start_line and end_line reach into the history (-1 is the newest line that \
left the screen).
- pty_start_capture and pty_stop_capture write all output to a file, for what is too long for a screen.
- Positions are [column, row] from 0, sizes [columns, rows].
- KEYBOARD_HELD: a person is typing; look again until keyboard_held_by is gone. SECRET_INPUT: a program asks for a \
secret; ask the person for it with pty_request_user_input, you cannot type it.
pty_kill sessions that you no longer need.";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[
    entry::<launch::Launch>(),
    entry::<send_keys::SendKeys>(),
    entry::<get_screen::GetScreen>(),
    entry::<get_cursor::GetCursor>(),
    entry::<resize::Resize>(),
    entry::<start_capture::StartCapture>(),
    entry::<stop_capture::StopCapture>(),
    entry::<list::List>(),
    entry::<kill::Kill>(),
    entry::<set_scrollback::SetScrollback>(),
    entry::<request_user_input::RequestUserInput>(),
];

/// The session that is meant.
async fn look(call: &Call, session: &Reference) -> Result<SessionInfo, Fault> {
    perform::<Info>(call.context.clone(), info::Params { session: session.to_string() })
        .await
        .map_err(in_our_words)
}

/// What to do about an error, in this set's words.
pub(super) fn in_our_words(fault: Fault) -> Fault {
    let hint = match fault.code {
        Code::SessionNotFound | Code::NotYours => "list your sessions (pty_list)",
        Code::SessionDestroyed => "start a new one (pty_launch)",
        Code::ProcessExited => {
            "read it (pty_get_screen), end it (pty_kill), and start a new one (pty_launch)"
        }
        Code::KeyboardHeld => "look again (pty_get_screen) until keyboard_held_by is gone",
        Code::SecretInput => {
            "ask the person (pty_request_user_input), or leave the question (pty_send_keys with keys \"^C\" and special true)"
        }
        Code::CaptureRunning => "end it first (pty_stop_capture)",
        Code::NoCapture => "begin one first (pty_start_capture)",
        Code::ProgramNotFound => "give the program's path, or another command",
        _ => return fault,
    };
    fault.with_hint(hint)
}
