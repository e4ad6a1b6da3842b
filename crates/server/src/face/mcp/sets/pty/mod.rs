//! The tool set `pty`: `pty_*` tools, with small numbers as ids.

mod capture;
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

use cotty_protocol::ApiError;
use cotty_protocol::error::Step;
use cotty_protocol::op::{SessionInfo, info};

use self::reference::Reference;
use crate::face::mcp::advice::Phrase;
use crate::face::mcp::contract::tool::{Call, ToolEntry, entry};
use crate::face::mcp::sets::{InstructionLine, ToolSet, item, line, say};
use crate::ops::perform;

pub(crate) static SET: ToolSet = ToolSet { name: "pty", tools: TOOLS, instructions: INSTRUCTIONS, phrase };

const LAUNCH: &str = "pty_launch";
const SEND: &str = "pty_send_keys";
const SCREEN: &str = "pty_get_screen";
const ASK: &str = "pty_request_user_input";
const START: &str = "pty_start_capture";
const STOP: &str = "pty_stop_capture";

static INSTRUCTIONS: &[InstructionLine] = &[
    line(&[say(
        &[],
        "The pty_* tools give you real terminals that stay: they outlive your process, and a person can watch them and type too.",
    )]),
    item(&[say(&[LAUNCH], "pty_launch starts your shell or a command line; keep its session_id.")]),
    item(&[say(
        &[SEND],
        "pty_send_keys types. A newline is the Enter key. With special true, ^C, ^[ (Escape), [UP], [PGDN], [F5] … are keys; otherwise all is text.",
    )]),
    item(&[
        say(&[SCREEN], "pty_get_screen shows what a person would see."),
        say(
            &[SCREEN],
            "Programs need time: look again until `state` is \"prompt\" or \"exited\", or the text you wait for is there.",
        ),
        say(
            &[SCREEN],
            "start_line and end_line reach into the history (-1 is the newest line that left the screen).",
        ),
    ]),
    item(&[say(
        &[START, STOP],
        "pty_start_capture and pty_stop_capture write all output to a file, if it is too long for a screen.",
    )]),
    item(&[say(&[], "Positions are [column, row] from 0, sizes [columns, rows].")]),
    item(&[
        say(&[], "KEYBOARD_HELD: a person is typing; look again until keyboard_held_by is gone."),
        say(
            &[ASK],
            "SECRET_INPUT: a program asks for a secret; ask the person for it with pty_request_user_input, you cannot type it.",
        ),
    ]),
    line(&[say(&["pty_kill"], "pty_kill ends sessions you no longer need.")]),
];

/// In the order in which an agent needs them.
static TOOLS: &[ToolEntry] = &[
    entry::<launch::Launch>(),
    entry::<send_keys::SendKeys>(),
    entry::<get_screen::GetScreen>(),
    entry::<get_cursor::GetCursor>(),
    entry::<resize::Resize>(),
    entry::<capture::StartCapture>(),
    entry::<capture::StopCapture>(),
    entry::<list::List>(),
    entry::<kill::Kill>(),
    entry::<set_scrollback::SetScrollback>(),
    entry::<request_user_input::RequestUserInput>(),
];

/// The session that a call names.
async fn find_session(call: &Call, session: &Reference) -> Result<SessionInfo, ApiError> {
    perform(call.context.clone(), info::Params { session: session.to_string() }).await
}

/// Which of these tools performs a step.
fn phrase(step: &Step) -> Phrase {
    use Phrase::{Call, Plain, Unsaid, Words, WordsCall};
    match step {
        Step::ListSessions | Step::UseOwnSession => WordsCall("list your sessions", "pty_list", ""),
        Step::CreateSession => WordsCall("start a new one", LAUNCH, ""),
        Step::CreateShellSession => Call(LAUNCH, ""),
        Step::DestroySession => WordsCall("end it", "pty_kill", ""),
        Step::ReadLastScreen | Step::ReadScreen | Step::ReadNew => Call(SCREEN, ""),
        Step::WaitForKeyboard => WordsCall("look again until keyboard_held_by is gone", SCREEN, ""),
        Step::AskForSecret => Call(ASK, ""),
        Step::LeaveSecret => WordsCall("cancel the prompt", SEND, " with keys \"^C\" and special true"),
        Step::CaptureToFile => Call(START, ""),
        Step::StopCapture => WordsCall("end it first", STOP, ""),
        Step::StartCapture => WordsCall("start one first", START, ""),
        Step::GivePath => Words("give the program's path, or another command"),
        Step::ReadRecording | Step::TakeKeyboard | Step::ListRequests => Unsaid,
        Step::OpenPanel | Step::OpenWindow => Unsaid,
        Step::MakeToken => Words("ask the person for a token that is not read-only"),
        _ => Plain,
    }
}
