//! The tool sets, and what of them a client is offered. An agent is never shown forty tools.

use cotty_protocol::{Code, Fault};
use rmcp::model::Tool;

use super::tool::Entry;
use super::words::Words;
use super::{panel, pty, terminal, tui};
use crate::near;

/// Tools that belong together, with what an agent should know about them.
pub(super) struct ToolSet {
    pub(super) name: &'static str,
    pub(super) tools: &'static [Entry],
    /// Under 1.5 KB: every conversation pays for it.
    pub(super) instructions: &'static str,
}

/// All of them, the default one first.
pub(super) static SETS: [&ToolSet; 4] = [&terminal::SET, &pty::SET, &panel::SET, &tui::SET];

/// What one client is offered.
#[derive(Clone)]
pub(super) struct Offer {
    tools: Vec<(&'static Entry, &'static Tool)>,
    pub(super) instructions: String,
    /// How this client is advised.
    pub(super) words: Words,
}

/// Refuses names of sets and of tools that there are not. For whoever wants to know before there is a daemon.
pub fn check(sets: &[String], only: &[String]) -> Result<(), Fault> {
    choose(sets, only).map(|_| ())
}

/// The named sets, and their tools or of those only the named ones.
fn choose(sets: &[String], only: &[String]) -> Result<(Vec<&'static ToolSet>, Vec<&'static Entry>), Fault> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let named = |name: &String| {
        let found = SETS.iter().find(|set| set.name == name).copied();
        found.ok_or_else(|| unknown("tool set", name, &known))
    };
    let mut chosen: Vec<&ToolSet> = Vec::new();
    for set in sets {
        let set = named(set)?;
        // Said twice is meant once.
        if !chosen.iter().any(|other| other.name == set.name) {
            chosen.push(set);
        }
    }
    if chosen.is_empty() {
        chosen.push(SETS[0]);
    }
    let entries: Vec<&'static Entry> = chosen.iter().flat_map(|set| set.tools).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    if let Some(name) = only.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(unknown("tool", name, &names));
    }
    let shown =
        entries.into_iter().filter(|entry| only.is_empty() || only.iter().any(|name| name == entry.name));
    Ok((chosen, shown.collect()))
}

fn unknown(what: &str, name: &str, names: &[&str]) -> Fault {
    // `run` is how people call `terminal__run`.
    let short = names.iter().copied().find(|known| !name.is_empty() && known.ends_with(&format!("_{name}")));
    let near = short.or_else(|| near::nearest(name, names.iter().copied()));
    let message = format!("there is no {what} `{name}`{}", near::did_you_mean(near));
    let hint = match names {
        [] => "the chosen sets have no tools".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    };
    Fault::new(Code::InvalidInput, message).with_hint(hint)
}

/// Instructions without the sentences about tools that are not offered.
fn without(words: &Words, instructions: &str) -> String {
    let told = |sentence: &&str| !words.misleads(sentence);
    let lines = instructions.lines().map(|line| {
        let (dash, text) = line.strip_prefix("- ").map_or(("", line), |text| ("- ", text));
        let sentences: Vec<&str> = text.split_inclusive(". ").filter(told).collect();
        (!sentences.is_empty()).then(|| format!("{dash}{}", sentences.concat().trim_end()))
    });
    lines.flatten().collect::<Vec<_>>().join("\n")
}

impl Offer {
    /// The tools of the named sets, or of those only the named ones.
    pub(super) fn new(sets: &[String], only: &[String]) -> Result<Offer, Fault> {
        let (chosen, entries) = choose(sets, only)?;
        let offered: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
        let words = Words::new(&offered);
        let instructions: Vec<String> = chosen.iter().map(|set| without(&words, set.instructions)).collect();
        Ok(Offer {
            tools: entries.into_iter().map(|entry| (entry, entry.described())).collect(),
            instructions: instructions.join("\n"),
            words,
        })
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        self.tools.iter().map(|(_, tool)| *tool)
    }

    pub(super) fn find(&self, name: &str) -> Option<(&'static Entry, &'static Tool)> {
        self.tools.iter().find(|(entry, _)| entry.name == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sets: &[&str], only: &[&str]) -> String {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        check(&owned(sets), &owned(only)).map_or_else(|fault| fault.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn instructions_name_only_what_is_offered() {
        let only = ["terminal__create_session", "terminal__run"].map(str::to_owned);
        let told = Offer::new(&[], &only).unwrap().instructions;
        assert!(told.contains("terminal__run is for commands") && told.contains("exit code."), "{told}");
        for tool in SETS[0].tools.iter().filter(|tool| !only.iter().any(|name| name == tool.name)) {
            assert!(!told.contains(tool.name), "{}: {told}", tool.name);
        }
        for needless in ["Enter key", "ends what", "next_since"] {
            assert!(!told.contains(needless), "{needless}: {told}");
        }
        for set in SETS {
            assert_eq!(Offer::new(&[set.name.to_owned()], &[]).unwrap().instructions, set.instructions);
        }
    }

    #[test]
    fn what_there_is_not_is_refused_with_what_was_meant() {
        assert_eq!(refused(&[], &[]), "fine");
        assert_eq!(refused(&["terminal", "tui", "terminal"], &["terminal__run"]), "fine");
        assert!(refused(&["termnal"], &[]).contains("did you mean `terminal`?"));
        assert!(refused(&["colours"], &[]).contains("terminal, pty, panel, tui"));
        assert!(refused(&[], &["run"]).contains("did you mean `terminal__run`?"));
        assert!(refused(&[], &["terminal__sned"]).contains("did you mean `terminal__send`?"));
        assert!(refused(&[], &[""]).contains("there is no tool ``"));
    }
}
