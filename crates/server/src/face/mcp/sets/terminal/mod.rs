//! The tool set `terminal`: the default.

mod create_session;
mod destroy_session;
mod get_info;
mod list_sessions;
mod phrases;
mod read;
mod request_user_input;
mod resize;
mod run;
mod search;
mod send;
mod session;
mod step;
mod wait;

use crate::face::mcp::contract::tool::{ToolEntry, entry};
use crate::face::mcp::sets::{InstructionLine, ToolSet, item, line, say};

pub(crate) static SET: ToolSet =
    ToolSet { name: "terminal", tools: TOOLS, instructions: INSTRUCTIONS, phrase: phrases::phrase };

const CREATE: &str = "terminal__create_session";
const RUN: &str = "terminal__run";
const SEND: &str = "terminal__send";
const READ: &str = "terminal__read";
const WAIT: &str = "terminal__wait";

static INSTRUCTIONS: &[InstructionLine] = &[
    line(&[say(
        &[],
        "cotty gives you real terminals that stay: they outlive your process, and a person can watch them and type too.",
    )]),
    item(&[say(
        &[CREATE],
        "terminal__create_session starts your shell (or any program); keep its session_id.",
    )]),
    item(&[
        say(&[RUN], "terminal__run is for commands: it returns the command's own output and exit code."),
        say(
            &[RUN, WAIT, SEND],
            "If the outcome is `running`, the command goes on: terminal__wait for it, or interrupt it with terminal__send key \"ctrl+c\".",
        ),
    ]),
    item(&[say(
        &[SEND],
        "terminal__send types text, presses a key or clicks in any program (vim, a REPL, a dialog) and shows the rows that changed; `read` shows more, `steps` does several things in one call; \\n in text is the Enter key.",
    )]),
    item(&[say(
        &[READ],
        "terminal__read view \"screen\" is what a person sees; \"new\" is the output since your last read or run.",
    )]),
    item(&[say(&[WAIT], "terminal__wait waits for text, a pause, the prompt or the end; do not poll.")]),
    item(&[
        say(
            &[],
            "Every answer has `state`: prompt (run), running (wait), waiting_for_input, pager, editor (send), secret_input and secret_suspected (you cannot type a secret), exited.",
        ),
        say(&[], "keyboard_held_by: a person is typing; wait with keyboard true."),
        say(&[READ, WAIT], "Pass next_since as `since` to a later terminal__read or terminal__wait."),
    ]),
    item(&[say(
        &["terminal__request_user_input"],
        "terminal__request_user_input asks a person to take over, e.g. to type a secret.",
    )]),
    line(&[say(
        &["terminal__destroy_session"],
        "terminal__destroy_session ends sessions you no longer need.",
    )]),
];

/// In the order in which an agent needs them.
static TOOLS: &[ToolEntry] = &[
    entry::<create_session::CreateSession>(),
    entry::<run::Run>(),
    entry::<send::Send>(),
    entry::<read::Read>(),
    entry::<wait::Wait>(),
    entry::<search::Search>(),
    entry::<resize::Resize>(),
    entry::<request_user_input::RequestUserInput>(),
    entry::<list_sessions::ListSessions>(),
    entry::<get_info::GetInfo>(),
    entry::<destroy_session::DestroySession>(),
];

#[cfg(test)]
mod tests {
    use super::super::{panel, pty, tui};
    use super::*;

    /// Every conversation pays for it.
    #[test]
    fn instructions_and_tool_descriptions_are_short() {
        for set in [&SET, &pty::SET, &panel::SET, &tui::SET] {
            let text = set.all_instructions();
            assert!(text.len() < 1500, "{}: {}", set.name, text.len());
        }
        let sizes = TOOLS.iter().map(|tool| {
            let tool = tool.describe();
            let schema = serde_json::to_string(&*tool.input_schema).unwrap();
            (tool.name.len() + tool.description.unwrap_or_default().len() + schema.len(), tool.name)
        });
        let sizes: Vec<_> = sizes.collect();
        assert!(sizes.iter().map(|(size, _)| size).sum::<usize>() <= 12 * 1024, "{sizes:?}");
    }
}
