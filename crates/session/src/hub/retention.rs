//! Decides when an unused session is removed, from facts about it.

use std::time::Duration;

/// How long unused sessions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// An exited session can be read for this long.
    pub ended: Duration,
    /// An orphaned session of an agent is ended when its shell has waited for a command for this long.
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

/// The facts about a session that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    /// How long ago its program ended.
    pub(super) ended: Option<Duration>,
    /// How long ago it last had input or output.
    pub(super) idle: Duration,
    pub(super) at_prompt: bool,
    /// Whether it is a person's. Only that person ends it.
    pub(super) persons: bool,
    pub(super) client_there: bool,
}

/// What to do with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Keep it; check again after this long, if at all.
    Stay(Option<Duration>),
    /// End its program and everything that it started.
    End,
    /// Remove it: its program has ended.
    Remove,
}

impl Retention {
    /// The shortest of the times: a new session is kept at least this long.
    pub(super) fn soonest(&self) -> Duration {
        self.ended.min(self.orphaned).min(self.idle)
    }

    pub(super) fn judge(&self, facts: Facts) -> Fate {
        let (limit, passed, over) = match facts.ended {
            Some(ended) => (self.ended, ended, Fate::Remove),
            None if facts.persons => return Fate::Stay(None),
            None if facts.at_prompt && !facts.client_there => {
                (self.orphaned.min(self.idle), facts.idle, Fate::End)
            }
            None => (self.idle, facts.idle, Fate::End),
        };
        match limit.checked_sub(passed) {
            None | Some(Duration::ZERO) => over,
            // A session without a client may reach its prompt at any moment: check again as if it were there now.
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
    fn an_orphaned_shell_of_an_agent_is_ended_after_half_an_hour() {
        let retention = Retention::default();
        assert_eq!(retention.judge(idle(29)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(idle(30)), Fate::End);
        assert_eq!(retention.judge(Facts { client_there: true, ..idle(30) }), Fate::Stay(Some(MINUTE * 690)));
    }

    #[test]
    fn a_running_program_is_ended_after_half_a_day() {
        let retention = Retention::default();
        let at_work = |minutes| Facts { at_prompt: false, ..idle(minutes) };
        assert_eq!(retention.judge(at_work(31)), Fate::Stay(Some(MINUTE * 30)), "it may reach its prompt");
        assert_eq!(retention.judge(at_work(719)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(at_work(720)), Fate::End);
        assert_eq!(retention.judge(Facts { client_there: true, ..at_work(720) }), Fate::End);
    }

    #[test]
    fn a_persons_session_stays_and_an_exited_one_is_removed_after_ten_minutes() {
        let retention = Retention::default();
        assert_eq!(retention.judge(Facts { persons: true, ..idle(100_000) }), Fate::Stay(None));
        let ended = |minutes: u32| Facts { ended: Some(MINUTE * minutes), persons: true, ..idle(0) };
        assert_eq!(retention.judge(ended(9)), Fate::Stay(Some(MINUTE)));
        assert_eq!(retention.judge(ended(10)), Fate::Remove);
    }
}
