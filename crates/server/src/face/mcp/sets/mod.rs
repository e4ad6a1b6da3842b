//! The tool sets, and the tools that a client is offered. An agent is never shown forty tools.

mod panel;
mod pty;
pub(crate) mod terminal;
mod tui;

use std::sync::Arc;

use cotty_protocol::ApiError;
use cotty_protocol::error::Step;
use rmcp::model::Tool;

use crate::face::mcp::advice::{Advisor, Phrase};
use crate::face::mcp::contract::tool::ToolEntry;
use crate::near;

/// Tools that belong together, with what an agent should know about them.
pub(crate) struct ToolSet {
    pub(crate) name: &'static str,
    pub(crate) tools: &'static [ToolEntry],
    /// Under 1.5 KB: every conversation pays for it.
    pub(crate) instructions: &'static [InstructionLine],
    /// Which of its tools performs a step.
    pub(crate) phrase: fn(&Step) -> Phrase,
}

impl ToolSet {
    /// The instructions for a client with all of its tools.
    #[cfg(test)]
    pub(crate) fn all_instructions(&self) -> String {
        let all: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
        instructions(self.instructions, &all)
    }
}

/// A line of instructions.
pub(crate) struct InstructionLine {
    /// Whether it is an item of a list.
    item: bool,
    sentences: &'static [Sentence],
}

/// A sentence of instructions, and the tools that it needs.
pub(crate) struct Sentence(&'static [&'static str], &'static str);

/// A line that is not an item of a list.
pub(crate) const fn line(sentences: &'static [Sentence]) -> InstructionLine {
    InstructionLine { item: false, sentences }
}

/// An item of a list.
pub(crate) const fn item(sentences: &'static [Sentence]) -> InstructionLine {
    InstructionLine { item: true, sentences }
}

/// A sentence for clients with these tools.
pub(crate) const fn say(tools: &'static [&'static str], text: &'static str) -> Sentence {
    Sentence(tools, text)
}

/// All tool sets, the default first.
pub(crate) static SETS: [&ToolSet; 4] = [&terminal::SET, &pty::SET, &panel::SET, &tui::SET];

/// What one client is offered.
#[derive(Clone)]
pub(crate) struct Offer {
    tools: Vec<Offered>,
    pub(crate) instructions: String,
}

/// A tool that a client is offered.
#[derive(Clone)]
pub(crate) struct Offered {
    pub(crate) entry: &'static ToolEntry,
    pub(crate) described: &'static Tool,
    /// Writes the hints in this tool's answers.
    pub(crate) advisor: Advisor,
}

/// Refuses unknown names of sets and of tools, before a daemon is needed.
pub fn check(sets: &[String], only: &[String]) -> Result<(), ApiError> {
    choose(sets, only).map(|_| ())
}

/// The named sets, each with all its tools or only those in `only`.
fn choose(
    sets: &[String],
    only: &[String],
) -> Result<Vec<(&'static ToolSet, Vec<&'static ToolEntry>)>, ApiError> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let named = |name: &String| {
        let found = SETS.iter().find(|set| set.name == name).copied();
        found.ok_or_else(|| unknown("tool set", name, &known))
    };
    let mut chosen: Vec<&ToolSet> = Vec::new();
    for set in sets {
        let set = named(set)?;
        // A repeated name counts once.
        if !chosen.iter().any(|other| other.name == set.name) {
            chosen.push(set);
        }
    }
    if chosen.is_empty() {
        chosen.push(SETS[0]);
    }
    let entries: Vec<&'static ToolEntry> = chosen.iter().flat_map(|set| set.tools).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    if let Some(name) = only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(unknown("tool", name, &names));
    }
    let shown = |entry: &&ToolEntry| only.is_empty() || only.iter().any(|name| name == entry.name);
    Ok(chosen.into_iter().map(|set| (set, set.tools.iter().filter(shown).collect())).collect())
}

fn unknown(what: &str, name: &str, names: &[&str]) -> ApiError {
    // `run` is how people call `terminal__run`.
    let short = names.iter().copied().find(|known| !name.is_empty() && known.ends_with(&format!("_{name}")));
    let near = short.or_else(|| near::nearest(name, names.iter().copied()));
    ApiError::UnknownChoice {
        what: what.to_owned(),
        name: name.to_owned(),
        near: near.map(str::to_owned),
        known: names.iter().map(|&name| name.to_owned()).collect(),
    }
}

/// Instructions without the sentences about tools that are not offered.
fn instructions(lines: &[InstructionLine], offered: &[&str]) -> String {
    let lines = lines.iter().filter_map(|line| {
        let sentences =
            line.sentences.iter().filter(|Sentence(tools, _)| tools.iter().all(|t| offered.contains(t)));
        let text = sentences.map(|Sentence(_, text)| *text).collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| if line.item { format!("- {text}") } else { text })
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Offer {
    /// The tools of the named sets, or only those in `only`.
    pub(crate) fn new(sets: &[String], only: &[String]) -> Result<Offer, ApiError> {
        let chosen = choose(sets, only)?;
        let offered: Arc<[&'static str]> =
            chosen.iter().flat_map(|(_, entries)| entries.iter().map(|entry| entry.name)).collect();
        let texts: Vec<String> =
            chosen.iter().map(|(set, _)| instructions(set.instructions, &offered)).collect();
        let mut tools = Vec::new();
        for (set, entries) in chosen {
            let advisor = Advisor { offered: Arc::clone(&offered), phrase: set.phrase };
            tools.extend(entries.into_iter().map(|entry| Offered {
                entry,
                described: entry.described(),
                advisor: advisor.clone(),
            }));
        }
        Ok(Offer { tools, instructions: texts.join("\n") })
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|offered| offered.described)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Offered> {
        self.tools.iter().find(|offered| offered.entry.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::in_plain_words;

    fn refused(sets: &[&str], only: &[&str]) -> String {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let in_words = |error: ApiError| in_plain_words(error).to_string();
        check(&owned(sets), &owned(only)).map_or_else(in_words, |()| "fine".to_owned())
    }

    #[test]
    fn instructions_name_only_offered_tools() {
        let only = ["terminal__create_session", "terminal__run"].map(str::to_owned);
        let text = Offer::new(&[], &only).unwrap().instructions;
        assert!(text.contains("terminal__run is for commands") && text.contains("exit code."), "{text}");
        for tool in SETS[0].tools.iter().filter(|tool| !only.iter().any(|name| name == tool.name)) {
            assert!(!text.contains(tool.name), "{}: {text}", tool.name);
        }
        for needless in ["Enter key", "no longer need", "next_since"] {
            assert!(!text.contains(needless), "{needless}: {text}");
        }
    }

    /// Clients load them at the beginning of every conversation.
    #[test]
    fn the_description_of_a_tool_has_at_most_16_kilobytes() {
        let all = SETS.iter().map(|set| set.name.to_owned()).collect::<Vec<_>>();
        for tool in Offer::new(&all, &[]).unwrap().tools() {
            let bytes = serde_json::to_string(tool).unwrap().len();
            assert!(bytes <= 16_000, "{} has {bytes} bytes", tool.name);
        }
    }

    /// A sentence that names a tool is only for clients that have it.
    #[test]
    fn a_sentence_names_only_the_tools_that_it_needs() {
        let all: Vec<&str> = SETS.iter().flat_map(|set| set.tools).map(|tool| tool.name).collect();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        for Sentence(needs, text) in
            SETS.iter().flat_map(|set| set.instructions).flat_map(|line| line.sentences)
        {
            assert!(needs.iter().all(|tool| all.contains(tool)), "{needs:?}");
            for named in text.split(|c| !word(c)).filter(|word| all.contains(word)) {
                assert!(needs.contains(&named), "{named}: {text}");
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest_known_name() {
        assert_eq!(refused(&[], &[]), "fine");
        assert_eq!(refused(&["terminal", "tui", "terminal"], &["terminal__run"]), "fine");
        assert!(refused(&["termnal"], &[]).contains("did you mean `terminal`?"));
        assert!(refused(&["colours"], &[]).contains("terminal, pty, panel, tui"));
        assert!(refused(&[], &["run"]).contains("did you mean `terminal__run`?"));
        assert!(refused(&[], &["terminal__sned"]).contains("did you mean `terminal__send`?"));
        assert!(refused(&[], &[""]).contains("there is no tool ``"));
    }
}
