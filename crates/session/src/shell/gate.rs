//! What the shell asks before it runs a line, and what it is answered.

use std::sync::Arc;

use super::{AskedLine, Hook, Question};
use crate::{Policy, Verdict};

/// What is said of a line that cannot be read.
const UNREADABLE: &str = "the line could not be read";

/// A question that the shell has not gone on from: its id, and the answer where that is kept. This is saved.
pub(crate) type OpenQuestion = Option<(String, Option<String>)>;

/// Judges lines, and answers the shell.
#[derive(Debug)]
pub(crate) struct Gate {
    policy: Arc<Policy>,
    hook: Option<Hook>,
    asked: OpenQuestion,
}

impl Gate {
    pub(crate) fn new(policy: Arc<Policy>, hook: Option<Hook>) -> Gate {
        Gate { policy, hook, asked: None }
    }

    /// What is saved of it.
    pub(crate) fn asked(&self) -> &OpenQuestion {
        &self.asked
    }

    /// As it was saved.
    pub(crate) fn restore(&mut self, asked: OpenQuestion) {
        self.asked = asked;
    }

    /// Whether a line may run.
    pub(crate) fn judge(&self, line: &str) -> Verdict {
        self.policy.judge(line)
    }

    /// The shell has gone on.
    pub(crate) fn went_on(&mut self) {
        self.asked = None;
    }

    /// Judges what the shell asks about and, where the question is `open`, answers it. Answers the line, where it could be
    /// read, and the verdict.
    pub(crate) fn answer(&mut self, question: &Question, open: bool) -> (Option<String>, Verdict) {
        let line = match &question.line {
            AskedLine::Here(line) => Some(line.clone()),
            // In a replay of an old question the file holds a newer line.
            AskedLine::InFile => self.hook.as_ref().filter(|_| open).and_then(Hook::line),
            AskedLine::Unreadable | AskedLine::Unknown => None,
        };
        let verdict = match (&line, &question.line) {
            (Some(line), _) => self.policy.judge(line),
            // The next daemon cannot know what the file held for a question that was answered.
            (None, AskedLine::InFile) if !open => Verdict::Allow,
            // Nobody can judge it; so far lines of a shell that keeps no history are let through.
            (None, AskedLine::Unknown) => Verdict::Allow,
            (None, _) => Verdict::Deny { reason: UNREADABLE.to_owned() },
        };
        let answer = words(&verdict);
        // What lies in the file is judged again when it has to be answered again.
        let again = (question.line != AskedLine::InFile).then(|| answer.to_owned());
        if let Some(hook) = self.hook.as_ref().filter(|_| open) {
            hook.answer(&question.id, answer);
        }
        self.asked = Some((question.id.clone(), again));
        (line, verdict)
    }

    /// Answers a question once more that the shell has not been heard to go on from: an answer in the fifo is gone with the
    /// daemon that wrote it, unless the shell had it open already. A second one does no harm.
    pub(crate) fn answer_again(&self) {
        let (Some((id, answer)), Some(hook)) = (&self.asked, &self.hook) else { return };
        let judged = || match hook.line().map(|line| self.policy.judge(&line)) {
            Some(verdict) => words(&verdict).to_owned(),
            None => UNREADABLE.to_owned(),
        };
        hook.answer(id, &answer.clone().unwrap_or_else(judged));
    }

    /// What is taken away with its session.
    pub(crate) fn take_hook(&mut self) -> Option<Hook> {
        self.hook.take()
    }
}

fn words(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Deny { reason } => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_judged_and_one_that_cannot_be_read_is_refused() {
        let mut gate = Gate::new(Arc::new(Policy::built_in().unwrap()), None);
        let mut allowed = |line: AskedLine, open: bool| {
            let question = Question { id: "7".into(), line };
            matches!(gate.answer(&question, open).1, Verdict::Allow)
        };
        assert!(allowed(AskedLine::Here("ls".into()), true));
        assert!(!allowed(AskedLine::Here("mkfs /dev/sda".into()), true));
        assert!(!allowed(AskedLine::Unreadable, true));
        assert!(!allowed(AskedLine::InFile, true), "there is no file");
        assert!(allowed(AskedLine::InFile, false), "it was answered before");
        assert!(allowed(AskedLine::Unknown, true));
    }

    #[test]
    fn what_is_kept_is_answered_again_by_the_next_daemon() {
        let mut gate = Gate::new(Arc::new(Policy::built_in().unwrap()), None);
        gate.answer(&Question { id: "7".into(), line: AskedLine::Here("ls".into()) }, true);
        assert_eq!(gate.asked(), &Some(("7".to_owned(), Some("allow".to_owned()))));
        gate.answer(&Question { id: "8".into(), line: AskedLine::InFile }, true);
        assert_eq!(gate.asked(), &Some(("8".to_owned(), None)), "the file is judged once more");
        gate.went_on();
        assert_eq!(gate.asked(), &None);
    }
}
