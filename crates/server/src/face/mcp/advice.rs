//! Writes errors and hints in terms of the tools that a client is offered. An operation returns [`Step`]s, and a tool
//! set says which of its tools performs each. Tools that the client is not offered are not named.

use std::borrow::Cow;
use std::sync::Arc;

use cotty_protocol::error::{Advice, Clause, Step};
use cotty_protocol::{ApiError, ErrorBody};

/// How a tool set describes a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phrase {
    /// The step's own words.
    Plain,
    /// Other words.
    Words(&'static str),
    /// The step's own words, and the call that performs it: a tool, and the text after its name.
    Call(&'static str, &'static str),
    /// Other words, and the call.
    WordsCall(&'static str, &'static str, &'static str),
    /// Nothing: these tools cannot do it.
    Unsaid,
}

/// Writes the hints for one client.
#[derive(Debug, Clone)]
pub(super) struct Advisor {
    pub(super) offered: Arc<[&'static str]>,
    pub(super) phrase: fn(&Step) -> Phrase,
}

/// The last resort, if the offered tools cannot do anything about a session.
const CREATE: &str = "terminal__create_session";

impl Advisor {
    /// An error with its hint, for the client.
    pub(super) fn error(&self, error: ApiError) -> ErrorBody {
        let hint = self.in_words(&error.advice());
        ErrorBody::new(error, hint)
    }

    /// The hint in words, if these tools can do anything.
    pub(super) fn in_words(&self, advice: &Advice) -> Option<String> {
        let worded = Advice(advice.0.iter().map(|clause| self.clause(clause)).collect());
        worded.in_words(|step| Some(step.to_string()))
    }

    fn clause(&self, clause: &Clause) -> Clause {
        let phrases: Vec<(&Step, Phrase)> =
            clause.steps.iter().map(|step| (step, (self.phrase)(step))).collect();
        let has = |offered: bool| {
            let tools = phrases.iter().filter_map(|(_, phrase)| phrase.tool());
            tools.filter(|tool| self.offered.contains(tool) == offered).count() > 0
        };
        let mut steps: Vec<Step> =
            phrases.iter().filter_map(|(step, phrase)| self.say(step, phrase)).collect();
        // None of the advised steps can be done with these tools.
        if has(false) && !has(true) && self.offered.contains(&CREATE) {
            if clause.situation.is_some() {
                steps.clear();
            }
            steps.push(Step::say(format!("create another session ({CREATE})")));
        }
        Clause { situation: clause.situation.clone(), steps }
    }

    fn say(&self, step: &Step, phrase: &Phrase) -> Option<Step> {
        let words: Cow<'static, str> = match phrase {
            Phrase::Unsaid => return None,
            Phrase::Plain | Phrase::Call(..) => step.to_string().into(),
            Phrase::Words(words) | Phrase::WordsCall(words, ..) => (*words).into(),
        };
        Some(match phrase {
            Phrase::Call(tool, how) | Phrase::WordsCall(_, tool, how) if self.offered.contains(tool) => {
                Step::say(format!("{words} ({tool}{how})"))
            }
            _ => Step::say(words),
        })
    }
}

impl Phrase {
    fn tool(&self) -> Option<&'static str> {
        match self {
            Phrase::Call(tool, _) | Phrase::WordsCall(_, tool, _) => Some(tool),
            Phrase::Plain | Phrase::Words(_) | Phrase::Unsaid => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use cotty_protocol::op::Activity;

    use super::*;
    use crate::face::mcp::sets::SETS;
    use crate::face::mcp::sets::terminal;

    fn advisor(offered: &[&'static str]) -> Advisor {
        Advisor { offered: offered.into(), phrase: terminal::SET.phrase }
    }

    #[test]
    fn advice_names_only_offered_tools() {
        let running = Activity::Running { program: Some("make".to_owned()) };
        let error = ApiError::NotAtPrompt { activity: running, nested: false };
        for (offered, expected) in [
            (
                &["terminal__wait", "terminal__send"][..],
                "wait for the prompt (terminal__wait with prompt true), or interrupt it (terminal__send key \"ctrl+c\")",
            ),
            (&["terminal__wait"], "wait for the prompt (terminal__wait with prompt true), or interrupt it"),
            (&["terminal__run"], "wait for the prompt, or interrupt it"),
        ] {
            assert_eq!(advisor(offered).error(error.clone()).hint.unwrap(), expected);
        }
    }

    #[test]
    fn without_a_fitting_tool_the_advice_is_another_session() {
        let advisor = advisor(&["terminal__run", CREATE]);
        let running = Activity::Running { program: Some("make".to_owned()) };
        assert_eq!(
            advisor.in_words(&Advice::for_session(&running, false, None)).unwrap(),
            "make is running: create another session (terminal__create_session)"
        );
        assert_eq!(
            advisor.in_words(&Advice::for_session(&Activity::Prompt, false, None)).unwrap(),
            "the shell waits for a command: run one (terminal__run)"
        );
        let error = ApiError::SessionNotFound { session: "x".to_owned(), near: None };
        assert_eq!(
            advisor.error(error).hint.unwrap(),
            "list your sessions, or create another session (terminal__create_session)"
        );
        let error = ApiError::MouseOff { program: None };
        assert_eq!(advisor.error(error).hint.unwrap(), "use keys instead");
    }

    #[test]
    fn the_hint_to_leave_a_program_fits_its_activity() {
        let tools = terminal::SET.tools.iter().map(|tool| tool.name).collect();
        let advisor = Advisor { offered: tools, phrase: terminal::SET.phrase };
        let program = || Some("it".to_owned());
        let hint = |error| advisor.error(error).hint.unwrap();
        let at = |activity, nested| hint(ApiError::NotAtPrompt { activity, nested });
        for (hint, wanted) in [
            (hint(ApiError::LineStarted { entered: false }), "ctrl+u"),
            (hint(ApiError::LineStarted { entered: true }), "drop it (terminal__send key \"ctrl+c\")"),
            (at(Activity::WaitingForInput { program: program() }, false), "exit"),
            (at(Activity::Pager { program: "less".to_owned() }, false), "\"q\""),
            (at(Activity::Editor { program: "vim".to_owned() }, false), "its own command"),
            (at(Activity::Running { program: program() }, true), "read the screen (terminal__read)"),
            (at(Activity::Running { program: program() }, false), "terminal__wait with prompt"),
            (at(Activity::Running { program: None }, false), "terminal__wait with prompt"),
        ] {
            assert!(hint.contains(wanted), "{wanted}: {hint}");
            // Where a program may show its own prompt, a wait for the prompt could end at once.
            assert_eq!(hint.contains("terminal__wait"), wanted.contains("terminal__wait"), "{hint}");
        }
    }

    /// A phrase names a tool of its own set; without that tool only the words remain.
    #[test]
    fn every_set_names_only_its_own_tools() {
        let every_step = [
            Step::ListSessions,
            Step::UseOwnSession,
            Step::CreateSession,
            Step::CreateShellSession,
            Step::DestroySession,
            Step::InspectSession,
            Step::ReadRecording,
            Step::ReadLastScreen,
            Step::ReadScreen,
            Step::ReadNew,
            Step::RunCommand,
            Step::WaitForPrompt,
            Step::WaitForProgram,
            Step::WaitForText,
            Step::WaitForKeyboard,
            Step::Interrupt,
            Step::Type,
            Step::NextPage,
            Step::LeavePager,
            Step::LeaveEditor,
            Step::LeaveInterpreter,
            Step::LeaveInner,
            Step::FinishLine,
            Step::DropLine,
            Step::ClearLine,
            Step::EnterLine,
            Step::TypeAndRead,
            Step::AskForSecret,
            Step::LeaveSecret,
            Step::StopCapture,
            Step::StartCapture,
            Step::OpenPanel,
            Step::OpenWindow,
        ];
        for set in SETS {
            let nothing = Advisor { offered: Arc::new([]), phrase: set.phrase };
            for step in &every_step {
                let phrase = (set.phrase)(step);
                let own = phrase.tool().is_none_or(|tool| set.tools.iter().any(|own| own.name == tool));
                assert!(own, "{}: {step:?} names a tool of another set", set.name);
                let alone = nothing.in_words(&[step.clone()].into()).unwrap_or_default();
                let all = SETS.iter().flat_map(|set| set.tools);
                for tool in all {
                    assert!(!alone.contains(tool.name), "{}: {alone}", set.name);
                }
            }
        }
    }
}
