//! Advice in the words of the tools that an agent has. It is written as plain words, with the tool that does it behind them:
//! `wait for the prompt (terminal__wait with prompt true)`. Of a tool that is not offered the plain words are left.

use std::sync::Arc;

use cotty_protocol::Fault;

use super::sets::SETS;

/// What advice must not name.
#[derive(Debug, Clone)]
pub(super) struct Words {
    missing: Arc<[&'static str]>,
}

impl Words {
    /// For somebody who is offered these tools.
    pub(super) fn new(offered: &[&str]) -> Words {
        let all = SETS.iter().flat_map(|set| set.tools).map(|tool| tool.name);
        Words { missing: all.filter(|name| !offered.contains(name)).collect() }
    }

    /// Whether a tool is named that is not offered.
    pub(super) fn misleads(&self, text: &str) -> bool {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| self.missing.contains(&word))
    }

    /// Advice that can be followed; none where nothing is left of it.
    pub(super) fn advice(&self, advice: &str) -> Option<String> {
        let plain = match self.misleads(advice) {
            true => self.without_asides(advice),
            false => advice.to_owned(),
        };
        let parts: Vec<&str> = plain.split("; ").filter(|part| !self.misleads(part)).collect();
        Some(parts.join("; ")).filter(|advice| !advice.is_empty())
    }

    /// The same of a fault's hint.
    pub(super) fn fault(&self, fault: Fault) -> Fault {
        Fault { hint: fault.hint.and_then(|hint| self.advice(&hint)), ..fault }
    }

    /// Without parentheses that name what is not offered.
    fn without_asides(&self, advice: &str) -> String {
        let (mut plain, mut rest) = (String::new(), advice);
        while let Some((before, behind)) = rest.split_once(" (") {
            let Some((aside, after)) = behind.split_once(')') else { break };
            plain.push_str(before);
            if !self.misleads(aside) {
                plain.push_str(&format!(" ({aside})"));
            }
            rest = after;
        }
        plain + rest
    }
}

#[cfg(test)]
mod tests {
    use cotty_protocol::Code;

    use super::super::{panel, pty, terminal, tui};
    use super::*;

    #[test]
    fn advice_names_only_what_is_offered() {
        let words = Words::new(&["terminal__run", "terminal__wait"]);
        let said = |advice: &str| words.advice(advice);
        let plain = |advice: &str| Some(advice.to_owned());
        assert_eq!(said("run it (terminal__run)"), plain("run it (terminal__run)"));
        assert_eq!(
            said("wait (terminal__wait), or leave it (terminal__send key \"q\"), now"),
            plain("wait (terminal__wait), or leave it, now")
        );
        assert_eq!(said("pty_list shows them; call again"), plain("call again"));
        assert_eq!(said("terminal_write opens one"), None);
        assert_eq!(
            said("leave it (Ctrl-C), and :( is no aside"),
            plain("leave it (Ctrl-C), and :( is no aside")
        );
    }

    /// Whatever is refused, and however few tools there are, something is left to be said.
    #[test]
    fn every_hint_is_of_use_without_the_tools_that_it_names() {
        let nothing = Words::new(&[]);
        for ours in [terminal::ours, pty::in_our_words, panel::in_our_words, tui::in_our_words] {
            for code in Code::ALL {
                let Some(hint) = ours(Fault::new(*code, "refused")).hint else { continue };
                let said = nothing.advice(&hint);
                assert!(said.is_some_and(|said| !nothing.misleads(&said)), "{hint}");
            }
        }
    }
}
