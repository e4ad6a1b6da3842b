//! When a session that nobody comes back to leaves. Pure: told what is known of it.

use std::time::Duration;

/// The times that sessions are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// An ended one stays readable for this long.
    pub ended: Duration,
    /// An agent's session whose client is gone is ended when its shell has waited for a command for this long.
    pub orphaned: Duration,
    /// An agent's session is ended after this long without input and output.
    pub idle: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        Retention { ended: minutes(10), orphaned: minutes(30), idle: minutes(12 * 60) }
    }
}

/// What is known of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    /// How long ago its program ended.
    pub(super) ended: Option<Duration>,
    /// How long ago anything came or was typed.
    pub(super) idle: Duration,
    pub(super) at_prompt: bool,
    /// A person's own sessions are ended by that person, and by nobody else.
    pub(super) persons: bool,
    pub(super) client_there: bool,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing; look again after this long, if at all.
    Stay(Option<Duration>),
    /// End it with all that it started.
    End,
    /// It has ended: let it go.
    LetGo,
}

impl Retention {
    /// No session has less than this from the beginning on.
    pub(super) fn soonest(&self) -> Duration {
        self.ended.min(self.orphaned).min(self.idle)
    }

    pub(super) fn judge(&self, facts: Facts) -> Fate {
        let (limit, passed, over) = match facts.ended {
            Some(ended) => (self.ended, ended, Fate::LetGo),
            None if facts.persons => return Fate::Stay(None),
            None if facts.at_prompt && !facts.client_there => {
                (self.orphaned.min(self.idle), facts.idle, Fate::End)
            }
            None => (self.idle, facts.idle, Fate::End),
        };
        match limit.checked_sub(passed) {
            None | Some(Duration::ZERO) => over,
            // What is at work now may be at its prompt a moment later, with nobody there: looked at as if it were.
            Some(left) if facts.ended.is_none() && !facts.client_there => {
                Fate::Stay(Some(left.min(self.orphaned)))
            }
            Some(left) => Fate::Stay(Some(left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn idle(minutes: u32) -> Facts {
        Facts { ended: None, idle: MINUTE * minutes, at_prompt: true, persons: false, client_there: false }
    }

    // R-P14
    #[test]
    fn an_agents_shell_is_ended_when_its_client_is_gone_for_half_an_hour() {
        let retention = Retention::default();
        assert_eq!(retention.judge(idle(29)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(idle(30)), Fate::End);
        assert_eq!(retention.judge(Facts { client_there: true, ..idle(30) }), Fate::Stay(Some(MINUTE * 690)));
    }

    #[test]
    fn a_program_at_work_has_half_a_day() {
        let retention = Retention::default();
        let at_work = |minutes| Facts { at_prompt: false, ..idle(minutes) };
        assert_eq!(retention.judge(at_work(31)), Fate::Stay(Some(MINUTE * 30)), "it may come to its prompt");
        assert_eq!(retention.judge(at_work(719)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(at_work(720)), Fate::End);
        assert_eq!(retention.judge(Facts { client_there: true, ..at_work(720) }), Fate::End);
    }

    #[test]
    fn a_persons_session_stays_and_an_ended_one_can_be_read_for_a_while() {
        let retention = Retention::default();
        assert_eq!(retention.judge(Facts { persons: true, ..idle(100_000) }), Fate::Stay(None));
        let ended = |minutes: u32| Facts { ended: Some(MINUTE * minutes), persons: true, ..idle(0) };
        assert_eq!(retention.judge(ended(9)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(ended(10)), Fate::LetGo);
    }
}
