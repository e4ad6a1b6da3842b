//! Which marks are believed. A program that learned the nonce could mark the end of its own command; but while its job has the
//! terminal's foreground, the shell writes no prompt.

use std::time::{Duration, Instant};

use super::ShellMark;

/// Most marks that are held back.
const MOST: usize = 16;
/// How soon held marks are looked at again, and how rarely.
const SOONEST: Duration = Duration::from_millis(20);
const LATEST: Duration = Duration::from_secs(1);

/// Marks of a prompt or of a command's end that came while a job had the foreground, each with its moment. They are the
/// shell's if it turns out to wait at that prompt: a command in a prompt function may have had the foreground.
#[derive(Debug)]
pub(crate) struct Doubts<T> {
    held: Vec<(ShellMark, T)>,
    since: Option<Instant>,
}

impl<T> Default for Doubts<T> {
    fn default() -> Doubts<T> {
        Doubts { held: Vec::new(), since: None }
    }
}

impl<T> Doubts<T> {
    /// Takes a mark and returns those that are believed now, in order. `job`: whether a job has the foreground.
    pub(crate) fn admit(&mut self, mark: ShellMark, at: T, job: bool, now: Instant) -> Vec<(ShellMark, T)> {
        match &mark {
            // The shell's own end mark: what came before it was forged.
            ShellMark::CommandEnd { .. } => self.held.clear(),
            ShellMark::PromptStart | ShellMark::PromptEnd => {}
            // The command whose start this is may already have the foreground.
            ShellMark::Ask(_) | ShellMark::CommandStart if job => return vec![(mark, at)],
            ShellMark::Ask(_) | ShellMark::CommandStart => {}
        }
        if self.held.len() < MOST || !job {
            self.held.push((mark, at));
        }
        if job {
            self.since.get_or_insert(now);
            return Vec::new();
        }
        self.believe()
    }

    /// Whether marks are held back.
    pub(crate) fn any(&self) -> bool {
        !self.held.is_empty()
    }

    /// The held marks: the shell itself waits for input, and has written nothing more.
    pub(crate) fn believe(&mut self) -> Vec<(ShellMark, T)> {
        self.since = None;
        std::mem::take(&mut self.held)
    }

    /// When to look again, because no event reports that the shell has the foreground.
    pub(crate) fn wakeup(&self, now: Instant) -> Option<Instant> {
        let since = self.since.filter(|_| self.any())?;
        Some(now + (now.saturating_duration_since(since) / 4).clamp(SOONEST, LATEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ShellMark::{CommandStart, PromptEnd, PromptStart};

    const fn end(code: i32) -> ShellMark {
        ShellMark::CommandEnd { code }
    }

    /// What happens; the marks, each with whether a job had the foreground; and those that are believed.
    type Case = (&'static str, &'static [(ShellMark, bool)], &'static [ShellMark]);

    #[test]
    fn a_prompt_is_not_believed_while_a_job_has_the_foreground() {
        const CASES: &[Case] = &[
            ("a shell", &[(end(1), false), (PromptEnd, false)], &[end(1), PromptEnd]),
            ("a command starts before its mark is read", &[(CommandStart, true)], &[CommandStart]),
            (
                "a program forges its end, and then ends",
                &[
                    (CommandStart, false),
                    (end(0), true),
                    (PromptStart, true),
                    (PromptEnd, true),
                    (end(9), false),
                    (PromptStart, false),
                    (PromptEnd, false),
                ],
                &[CommandStart, end(9), PromptStart, PromptEnd],
            ),
            (
                "a command in a prompt function has the foreground",
                &[(end(3), true), (PromptStart, true), (PromptEnd, false)],
                &[end(3), PromptStart, PromptEnd],
            ),
        ];
        for (what, marks, believed) in CASES {
            let mut doubts = Doubts::default();
            let now = Instant::now();
            let admitted: Vec<ShellMark> = marks
                .iter()
                .flat_map(|(mark, job)| doubts.admit(mark.clone(), (), *job, now))
                .map(|(mark, ())| mark)
                .collect();
            assert_eq!(admitted, *believed, "{what}");
            assert!(!doubts.any() && doubts.wakeup(now).is_none(), "{what}");
        }
    }

    #[test]
    fn held_marks_are_looked_at_again_ever_more_rarely() {
        let (mut doubts, now) = (Doubts::default(), Instant::now());
        for _ in 0..100 {
            assert!(doubts.admit(PromptEnd, (), true, now).is_empty());
        }
        assert_eq!(doubts.wakeup(now), Some(now + SOONEST));
        assert_eq!(doubts.wakeup(now + 400 * LATEST), Some(now + 401 * LATEST));
        assert_eq!(doubts.believe().len(), MOST);
        assert!(!doubts.any());
    }
}
