//! The tool set `terminal`: the default.

mod create_session;
mod destroy_session;
mod get_info;
mod hints;
mod list_sessions;
mod read;
mod request_user_input;
mod run;
mod send;
mod session;
mod state;
mod step;
mod wait;

use cotty_protocol::Fault;

use super::sets::ToolSet;
use super::tool::{Entry, entry};
use crate::ops::{self, Context, Operation};

pub(super) static SET: ToolSet = ToolSet { name: "terminal", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "\
cotty gives you real terminals that stay: they outlive your process, and a person can watch them and type too.
- terminal__create_session starts your shell (or any program); keep its session_id.
- terminal__run is for commands: it answers with the command's own output and exit code. When it says `running`, the \
command goes on: terminal__wait for it, or interrupt it with terminal__send key \"c\" ctrl true.
- terminal__send types text or presses a key in any program (vim, a REPL, a prompt); give it `read` to see what \
happened in the same call. \\n in text is the Enter key.
- terminal__read view \"screen\" is what a person sees; \"new\" is what came since your last read.
- terminal__wait waits for text, a pause, the prompt or the end, instead of asking again and again.
- KEYBOARD_HELD: a person is typing; wait with keyboard true, then look what happened. SECRET_INPUT: you cannot \
type a secret. terminal__request_user_input asks a person to take over for that, or whenever you need one.
Destroy sessions that you no longer need.";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[
    entry::<create_session::CreateSession>(),
    entry::<run::Run>(),
    entry::<send::Send>(),
    entry::<read::Read>(),
    entry::<wait::Wait>(),
    entry::<request_user_input::RequestUserInput>(),
    entry::<list_sessions::ListSessions>(),
    entry::<get_info::GetInfo>(),
    entry::<destroy_session::DestroySession>(),
];

/// Does an operation; a refusal is told in the words of these tools.
async fn perform<O: Operation>(context: Context, params: O::Params) -> Result<O::Reply, Fault> {
    ops::perform::<O>(context, params).await.map_err(hints::ours)
}
