//! The tool sets, and what of them a client is offered. An agent is never shown forty tools.

use std::sync::LazyLock;

use cotty_protocol::{Code, Fault};
use rmcp::model::Tool;

use super::tool::Entry;
use super::{panel, pty, terminal, tui};

/// Tools that belong together, with what an agent should know about them.
pub(super) struct ToolSet {
    pub(super) name: &'static str,
    pub(super) tools: &'static [Entry],
    /// Under 1.5 KB: every conversation pays for it.
    pub(super) instructions: &'static str,
}

/// All of them, the default one first.
static SETS: [&ToolSet; 4] = [&terminal::SET, &pty::SET, &panel::SET, &tui::SET];

/// The same, described as clients are told: made once, because over HTTP every request asks anew what it is offered.
static DESCRIBED: LazyLock<[Vec<Tool>; 4]> =
    LazyLock::new(|| SETS.map(|set| set.tools.iter().map(Entry::describe).collect()));

type Described = (&'static Entry, &'static Tool);

/// What one client is offered.
#[derive(Clone)]
pub(super) struct Offer {
    tools: Vec<Described>,
    instructions: Vec<&'static str>,
}

impl Offer {
    /// The tools of the named sets, or of those only the named ones.
    pub(super) fn new(sets: &[String], only: &[String]) -> Result<Offer, Fault> {
        let place = |name: &String| {
            SETS.iter().position(|set| set.name == name).ok_or_else(|| {
                let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
                Fault::new(Code::InvalidInput, format!("there is no tool set `{name}`"))
                    .with_hint(format!("there are: {}", names.join(", ")))
            })
        };
        let mut chosen: Vec<usize> = Vec::new();
        for name in sets {
            let place = place(name)?;
            if !chosen.contains(&place) {
                chosen.push(place);
            }
        }
        if chosen.is_empty() {
            chosen.push(0);
        }
        let mut tools: Vec<Described> =
            chosen.iter().flat_map(|&place| SETS[place].tools.iter().zip(&DESCRIBED[place])).collect();
        if let Some(unknown) = only.iter().find(|name| !tools.iter().any(|(entry, _)| entry.name == *name)) {
            let names: Vec<&str> = tools.iter().map(|(entry, _)| entry.name).collect();
            return Err(Fault::new(
                Code::InvalidInput,
                format!("there is no tool `{unknown}` in the chosen sets"),
            )
            .with_hint(format!("there are: {}", names.join(", "))));
        }
        tools.retain(|(entry, _)| only.is_empty() || only.iter().any(|name| name == entry.name));
        let instructions = chosen.iter().map(|&place| SETS[place].instructions).collect();
        Ok(Offer { tools, instructions })
    }

    /// What an agent should know about them.
    pub(super) fn instructions(&self) -> String {
        self.instructions.join("\n")
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|(_, tool)| *tool)
    }

    pub(super) fn find(&self, name: &str) -> Option<Described> {
        self.tools.iter().find(|(entry, _)| entry.name == name).copied()
    }
}
