//! The tool sets, and what of them a client is offered. An agent is never shown forty tools.

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

/// What one client is offered.
#[derive(Clone)]
pub(super) struct Offer {
    tools: Vec<(&'static Entry, &'static Tool)>,
    pub(super) instructions: String,
}

impl Offer {
    /// The tools of the named sets, or of those only the named ones.
    pub(super) fn new(sets: &[String], only: &[String]) -> Result<Offer, Fault> {
        let named = |name: &String| {
            SETS.iter().find(|set| set.name == name).copied().ok_or_else(|| {
                let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
                Fault::new(Code::InvalidInput, format!("there is no tool set `{name}`"))
                    .with_hint(format!("there are: {}", names.join(", ")))
            })
        };
        let mut chosen: Vec<&ToolSet> = sets.iter().map(named).collect::<Result<_, _>>()?;
        if chosen.is_empty() {
            chosen.push(SETS[0]);
        }
        let entries: Vec<&'static Entry> = chosen.iter().flat_map(|set| set.tools).collect();
        if let Some(unknown) =
            only.iter().find(|name| !entries.iter().any(|entry| entry.name == name.as_str()))
        {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            return Err(Fault::new(
                Code::InvalidInput,
                format!("there is no tool `{unknown}` in the chosen sets"),
            )
            .with_hint(format!("there are: {}", names.join(", "))));
        }
        let shown =
            entries.into_iter().filter(|entry| only.is_empty() || only.iter().any(|name| name == entry.name));
        let instructions: Vec<&str> = chosen.iter().map(|set| set.instructions).collect();
        Ok(Offer {
            tools: shown.map(|entry| (entry, entry.described())).collect(),
            instructions: instructions.join("\n"),
        })
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|(_, tool)| *tool)
    }

    pub(super) fn find(&self, name: &str) -> Option<(&'static Entry, &'static Tool)> {
        self.tools.iter().find(|(entry, _)| entry.name == name).copied()
    }
}
