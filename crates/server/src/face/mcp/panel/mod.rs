//! The tool set `panel`: terminal panels, known by names of their owner's own.

mod read_screen;
mod write;

use cotty_protocol::op::panels::{self, Panel};
use cotty_protocol::{Code, Fault};

use super::sets::ToolSet;
use super::tool::{Call, Entry, entry};
use crate::ops::{Panels, perform};

pub(super) static SET: ToolSet = ToolSet { name: "panel", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "\
terminal_write types into a terminal panel and terminal_read_screen shows what it displays. Panels are real terminals \
that stay: they outlive your process, and a person can watch them and type too.
- The first terminal_write opens a panel with your shell; one with a new panelId opens another, and one into a panel \
whose shell has ended starts it again (`opened` says so). With a single panel you need no panelId.
- \\n in text is the Enter key; \\u0003 is Ctrl-C, \\u001b Escape.
- Programs need time: give terminal_read_screen a timeoutMs, and it waits until nothing is at work and the screen is still. `state` \"prompt\" \
means that the shell waits for a command.
- KEYBOARD_HELD: a person is typing; look again later. SECRET_INPUT: a program asks for a secret; ask the person to type \
it, you cannot.";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[entry::<write::Write>(), entry::<read_screen::ReadScreen>()];

/// The caller's panels.
async fn panels(call: &Call) -> Result<Vec<Panel>, Fault> {
    Ok(perform::<Panels>(call.context.clone(), panels::Params {}).await.map_err(in_our_words)?.panels)
}

/// What to do about an error, in this set's words.
pub(super) fn in_our_words(fault: Fault) -> Fault {
    let hint = match fault.code {
        Code::KeyboardHeld => "look again (terminal_read_screen) until keyboard_held_by is gone",
        Code::SecretInput => {
            "ask the person to type it, or leave the question with the text \"\\u0003\" (Ctrl-C)"
        }
        Code::ProcessExited => "write once more: that starts the panel's shell again",
        _ => return fault,
    };
    fault.with_hint(hint)
}

/// Several panels, and none was named.
fn which(panels: &[Panel]) -> Fault {
    Fault::new(Code::InvalidInput, "there are several panels: say which by panelId")
        .with_hint(there_are(panels))
}

fn there_are(panels: &[Panel]) -> String {
    let names: Vec<&str> = panels.iter().map(|panel| panel.panel_id.as_str()).collect();
    match names.as_slice() {
        [] => "there are none yet: write to one, and it is opened (terminal_write)".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}
