//! The tool set `tui`: the windows of a desktop.

use super::sets::ToolSet;
use super::tool::Entry;

pub(super) static SET: ToolSet = ToolSet { name: "tui", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[];
