//! The tool set `panel`: terminal panels, named by their owner.

mod read_screen;
mod write;

use cotty_protocol::ApiError;
use cotty_protocol::error::Step;
use cotty_protocol::op::panels::{self, Panel};

use crate::face::mcp::advice::Phrase;
use crate::face::mcp::contract::tool::{Call, ToolEntry, entry};
use crate::face::mcp::sets::{InstructionLine, ToolSet, item, line, say};
use crate::ops::perform;

pub(crate) static SET: ToolSet = ToolSet { name: "panel", tools: TOOLS, instructions: INSTRUCTIONS, phrase };

const WRITE: &str = "terminal_write";
const SCREEN: &str = "terminal_read_screen";

static INSTRUCTIONS: &[InstructionLine] = &[
    line(&[
        say(
            &[WRITE, SCREEN],
            "terminal_write types into a terminal panel and terminal_read_screen shows what it displays.",
        ),
        say(
            &[],
            "Panels are real terminals that stay: they outlive your process, and a person can watch them and type too.",
        ),
    ]),
    item(&[say(
        &[WRITE],
        "The first terminal_write opens a panel with your shell; a new panelId opens another. Writing into a panel whose shell has ended starts it again (`opened` is true). With a single panel you need no panelId.",
    )]),
    item(&[say(&[WRITE], "\\n in text is the Enter key; \\u0003 is Ctrl-C, \\u001b Escape.")]),
    item(&[
        say(
            &[SCREEN],
            "Programs need time: with timeoutMs, terminal_read_screen waits until no program is working and the screen is still.",
        ),
        say(&[], "`state` \"prompt\" means that the shell waits for a command."),
    ]),
    item(&[say(
        &[],
        "KEYBOARD_HELD: a person is typing; look again later. SECRET_INPUT: a program asks for a secret; ask the person to type it, you cannot.",
    )]),
];

/// In the order in which an agent needs them.
static TOOLS: &[ToolEntry] = &[entry::<write::Write>(), entry::<read_screen::ReadScreen>()];

/// The caller's panels.
async fn panels(call: &Call) -> Result<Vec<Panel>, ApiError> {
    Ok(perform(call.context.clone(), panels::Params {}).await?.panels)
}

/// Which of these tools performs a step.
fn phrase(step: &Step) -> Phrase {
    use Phrase::{Call, Plain, Unsaid, Words, WordsCall};
    match step {
        Step::WaitForKeyboard => WordsCall("look again until keyboard_held_by is gone", SCREEN, ""),
        Step::ReadScreen | Step::ReadNew => Call(SCREEN, ""),
        Step::AskForSecret => Words("ask the person to type it"),
        Step::LeaveSecret => Words("cancel the prompt with the text \"\\u0003\" (Ctrl-C)"),
        Step::CreateSession => Words("write again: that restarts the panel's shell"),
        Step::OpenPanel => WordsCall("there are none yet: writing opens one", WRITE, ""),
        Step::ReadLastScreen | Step::DestroySession | Step::ReadRecording => Unsaid,
        Step::TakeKeyboard | Step::ListRequests | Step::OpenWindow => Unsaid,
        Step::MakeToken => Words("ask the person for a token that is not read-only"),
        _ => Plain,
    }
}

/// The error for several panels of which none was named.
fn which(panels: &[Panel]) -> ApiError {
    ApiError::WhichPanel { known: names(panels) }
}

fn names(panels: &[Panel]) -> Vec<String> {
    panels.iter().map(|panel| panel.panel_id.clone()).collect()
}
