//! The tool set `panel`: terminal panels.

use super::sets::ToolSet;
use super::tool::Entry;

pub(super) static SET: ToolSet = ToolSet { name: "panel", tools: TOOLS, instructions: INSTRUCTIONS };

const INSTRUCTIONS: &str = "";

/// In the order in which an agent needs them.
static TOOLS: &[Entry] = &[];
