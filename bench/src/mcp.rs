//! MCP as an agent uses it: `cotty mcp` over stdio, with a minimal JSON-RPC client.

mod answers;
mod pipe;
mod speed;
mod tools;

use crate::args::Args;
use crate::daemon::home::Home;

pub(crate) use answers::Answer;
pub(crate) use speed::Speed;
pub(crate) use tools::Tool;

/// The results.
#[derive(Debug)]
pub(crate) struct Mcp {
    pub(crate) speed: Speed,
    /// Bytes of name, description and input schema of the default tools.
    pub(crate) schema: usize,
    pub(crate) tools: Vec<Tool>,
    pub(crate) answers: Vec<Answer>,
}

/// Runs all measurements.
pub(crate) fn measure(args: &Args) -> Result<Mcp, String> {
    let home = Home::start(1000)?;
    let answers = answers::measure(&home)?;
    let schema = answers::schema(&home)?;
    let tools = tools::measure(&home, args)?;
    drop(home);
    Ok(Mcp { speed: speed::measure(args)?, schema, tools, answers })
}
