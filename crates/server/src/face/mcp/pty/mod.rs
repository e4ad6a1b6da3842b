//! The tool set `pty`: `pty_*` tools with small numbers for ids.

use super::sets::ToolSet;
use super::tool::Entry;

pub(super) static SET: ToolSet = ToolSet { name: "pty", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[];
