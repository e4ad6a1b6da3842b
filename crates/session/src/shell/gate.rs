//! The shell's question before it runs a line, and the policy's answer.

use std::sync::Arc;

use super::{AskedLine, Hook, Question};
use crate::{Policy, Verdict};

/// The answer for a line that cannot be read.
const UNREADABLE: &str = "the line could not be read";

/// A question whose answer the shell may still wait for: its id, and the answer if it is kept. This is saved.
pub(crate) type OpenQuestion = Option<(String, Option<String>)>;

/// Judges lines and answers the shell.
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

    /// The part that is saved.
    pub(crate) fn asked(&self) -> &OpenQuestion {
        &self.asked
    }

    /// Restores the saved part.
    pub(crate) fn restore(&mut self, asked: OpenQuestion) {
        self.asked = asked;
    }

    /// Whether a line may run.
    pub(crate) fn judge(&self, line: &str) -> Verdict {
        self.policy.judge(line)
    }

    /// Notes that the shell went on, so its question is no longer open.
    pub(crate) fn went_on(&mut self) {
        self.asked = None;
    }

    /// Judges the line that the shell asks about and, if the question is `open`, answers the shell. Returns the line, if it
    /// could be read, and the verdict.
    pub(crate) fn answer(&mut self, question: &Question, open: bool) -> (Option<String>, Verdict) {
        let line = match &question.line {
            AskedLine::Here(line) => Some(line.clone()),
            // In a replay of an old question the file holds a newer line.
            AskedLine::InFile => self.hook.as_ref().filter(|_| open).and_then(Hook::line),
            AskedLine::Unreadable | AskedLine::Unknown => None,
        };
        let verdict = match (&line, &question.line) {
            (Some(line), _) => self.policy.judge(line),
            // In a replay, the line of a question that was answered is unknown.
            (None, AskedLine::InFile) if !open => Verdict::Allow,
            // Lines of a shell without history cannot be judged; they are allowed.
            (None, AskedLine::Unknown) => Verdict::Allow,
            (None, _) => Verdict::Deny { reason: UNREADABLE.to_owned() },
        };
        let answer = words(&verdict);
        // A line in the file is judged again when the answer has to be repeated.
        let again = (question.line != AskedLine::InFile).then(|| answer.to_owned());
        if let Some(hook) = self.hook.as_ref().filter(|_| open) {
            hook.answer(&question.id, answer);
        }
        self.asked = Some((question.id.clone(), again));
        (line, verdict)
    }

    /// Repeats the answer to an open question: an answer in the fifo is lost when the daemon that wrote it dies, unless the
    /// shell had the fifo open already. A second answer does no harm.
    pub(crate) fn answer_again(&self) {
        let (Some((id, answer)), Some(hook)) = (&self.asked, &self.hook) else { return };
        let judged = || match hook.line().map(|line| self.policy.judge(&line)) {
            Some(verdict) => words(&verdict).to_owned(),
            None => UNREADABLE.to_owned(),
        };
        hook.answer(id, &answer.clone().unwrap_or_else(judged));
    }

    /// Uses a hook in place of one that vanished.
    pub(crate) fn use_hook(&mut self, hook: Option<Hook>) {
        self.hook = hook;
    }

    /// Takes the hook, to remove it with its session.
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
    fn lines_are_judged_and_an_unreadable_line_is_denied() {
        let mut gate = Gate::new(Arc::new(Policy::built_in().unwrap()), None);
        let mut allowed = |line: AskedLine, open: bool| {
            let question = Question { id: "7".into(), line };
            matches!(gate.answer(&question, open).1, Verdict::Allow)
        };
        assert!(allowed(AskedLine::Here("ls".into()), true));
        assert!(!allowed(AskedLine::Here("mkfs /dev/sda".into()), true));
        assert!(!allowed(AskedLine::Unreadable, true));
        assert!(!allowed(AskedLine::InFile, true), "there is no file");
        assert!(allowed(AskedLine::InFile, false), "the question was answered before");
        assert!(allowed(AskedLine::Unknown, true));
    }

    #[test]
    fn an_answer_is_saved_for_the_next_daemon_unless_the_line_is_in_a_file() {
        let mut gate = Gate::new(Arc::new(Policy::built_in().unwrap()), None);
        gate.answer(&Question { id: "7".into(), line: AskedLine::Here("ls".into()) }, true);
        assert_eq!(gate.asked(), &Some(("7".to_owned(), Some("allow".to_owned()))));
        gate.answer(&Question { id: "8".into(), line: AskedLine::InFile }, true);
        assert_eq!(gate.asked(), &Some(("8".to_owned(), None)), "the file is judged again");
        gate.went_on();
        assert_eq!(gate.asked(), &None);
    }
}
