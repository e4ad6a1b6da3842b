//! Advice in the words of the tools that an agent has. It is written as plain words, with the tool that does it behind them:
//! `wait for the prompt (terminal__wait with prompt true)`. Of a tool that is not offered the plain words are left.

use std::sync::Arc;

use cotty_protocol::Fault;

use super::sets::SETS;

/// What advice must not name.
#[derive(Debug, Clone)]
pub(super) struct Words {
    missing: Arc<[&'static str]>,
    /// Another session can be made, where nothing can be done about this one.
    another: bool,
}

const ANOTHER: &str = "make another session (terminal__create_session)";

impl Words {
    /// For somebody who is offered these tools.
    pub(super) fn new(offered: &[&str]) -> Words {
        let all = SETS.iter().flat_map(|set| set.tools).map(|tool| tool.name);
        let missing = all.filter(|name| !offered.contains(name)).collect();
        Words { missing, another: offered.contains(&"terminal__create_session") }
    }

    /// Whether a tool is named that is not offered.
    pub(super) fn misleads(&self, text: &str) -> bool {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| self.missing.contains(&word))
    }

    /// Advice that can be followed; none where nothing is left of it.
    pub(super) fn advice(&self, advice: &str) -> Option<String> {
        self.said(advice, str::to_owned)
    }

    /// Advice without what cannot be done. Where nothing else is left to do there is another session: instead of what follows
    /// the state of things, or as `bare` says it.
    fn said(&self, advice: &str, bare: fn(&str) -> String) -> Option<String> {
        let parts = advice.split("; ").map(|part| {
            let plain = if self.misleads(part) { self.without_asides(part) } else { part.to_owned() };
            let helpless = plain != part && !plain.contains("(terminal__");
            match plain.split_once(": ") {
                _ if !helpless || !self.another => plain,
                Some((how_it_is, _)) => format!("{how_it_is}: {ANOTHER}"),
                None => bare(&plain),
            }
        });
        let parts: Vec<String> = parts.filter(|part| !self.misleads(part)).collect();
        Some(parts.join("; ")).filter(|advice| !advice.is_empty())
    }

    /// The same of a fault's hint.
    pub(super) fn fault(&self, fault: Fault) -> Fault {
        let or_another = |plain: &str| format!("{plain}, or {ANOTHER}");
        Fault { hint: fault.hint.and_then(|hint| self.said(&hint, or_another)), ..fault }
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

    #[test]
    fn where_nothing_can_be_done_there_is_another_session() {
        let words = Words::new(&["terminal__run", "terminal__create_session"]);
        let said = |advice: &str| words.advice(advice).unwrap();
        assert_eq!(
            said("make is at work: wait for it (terminal__wait), or interrupt it (terminal__send)"),
            "make is at work: make another session (terminal__create_session)"
        );
        assert_eq!(
            said("the shell waits for a command (terminal__run)"),
            "the shell waits for a command (terminal__run)"
        );
        assert_eq!(said("it has ended (terminal__destroy_session)"), "it has ended");
        let hinted = |hint: &str| words.fault(Fault::new(Code::Busy, "no").with_hint(hint)).hint.unwrap();
        assert_eq!(
            hinted("list yours (terminal__list_sessions)"),
            "list yours, or make another session (terminal__create_session)"
        );
        assert_eq!(hinted("use keys instead"), "use keys instead");
        assert_eq!(Words::new(&["terminal__run"]).advice("a: b (terminal__send)").unwrap(), "a: b");
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
