//! When a wait is over. Owns no clock and no terminal: the caller tells it the time and what it sees.

use std::time::{Duration, Instant};

use regex::Regex;

use crate::SessionError;

/// Where no time limit is given with a condition.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// After input, silence counts only once something came back, or after this long without anything.
const FIRST_OUTPUT: Duration = Duration::from_millis(500);
/// A prompt that is only guessed from its look must stand still for this long.
const GUESS_SETTLES: Duration = Duration::from_millis(50);

/// What to wait for: the first condition that holds wins, and the program's exit ends every wait.
#[derive(Debug, Clone, Default)]
pub struct Wait {
    /// This text appears.
    pub text: Option<String>,
    /// A match appears.
    pub regex: Option<Regex>,
    /// No output for this long, and no frame half drawn.
    pub idle: Option<Duration>,
    /// The shell waits for a command.
    pub prompt: bool,
    /// The command that this request typed is over.
    pub command: Option<String>,
    /// Only what came after this much output counts.
    pub since: Option<u64>,
    /// Give up after this long.
    pub timeout: Option<Duration>,
}

/// Which condition ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// The text appeared.
    Text,
    /// The pattern matched.
    Regex,
    /// Nothing came for the asked time.
    Idle,
    /// The shell waits for a command.
    Prompt,
    /// The command is over.
    Command,
    /// The program ended.
    Exit,
    /// Nothing of it, in time.
    Timeout,
}

impl Wait {
    /// Compiles a pattern, bounded in size: it comes from anybody.
    pub fn pattern(pattern: &str) -> Result<Regex, SessionError> {
        regex::RegexBuilder::new(pattern)
            .size_limit(1 << 20)
            .multi_line(true)
            .build()
            .map_err(|e| SessionError::BadPattern(e.to_string()))
    }

    fn reads_text(&self) -> bool {
        self.text.is_some() || self.regex.is_some()
    }

    fn limit(&self) -> Duration {
        self.timeout.unwrap_or(DEFAULT_TIMEOUT)
    }
}

/// What the session looks like at a moment.
pub(crate) struct Look<'a> {
    pub(crate) now: Instant,
    /// When output came last.
    pub(crate) last_output: Option<Instant>,
    pub(crate) seq: u64,
    /// The shell waits since this much output; guessed where it has no marks.
    pub(crate) prompt: Option<Prompt>,
    pub(crate) exited: bool,
    /// The program is in the middle of drawing, and is given until then to finish.
    pub(crate) half_drawn_until: Option<Instant>,
    /// What came since, without the echo of what was typed. Asked only if needed.
    pub(crate) text_since: &'a dyn Fn(Option<u64>) -> String,
    /// Whether the command that a request typed is over.
    pub(crate) is_over: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) seq: u64,
    pub(crate) guessed: bool,
}

/// A wait that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) wait: Wait,
    pub(crate) started: Instant,
    /// The output that was searched last, to search only when there is more.
    searched: Option<u64>,
}

impl Running {
    pub(crate) fn new(wait: Wait, now: Instant) -> Running {
        Running { wait, started: now, searched: None }
    }

    /// The condition that holds now, if one does.
    pub(crate) fn check(&mut self, look: &Look<'_>) -> Option<Met> {
        let wait = &self.wait;
        if wait.command.as_ref().is_some_and(|request| (look.is_over)(request)) {
            return Some(Met::Command);
        }
        if wait.reads_text() && self.searched != Some(look.seq) {
            self.searched = Some(look.seq);
            let text = (look.text_since)(wait.since);
            if wait.text.as_ref().is_some_and(|needle| text.contains(needle.as_str())) {
                return Some(Met::Text);
            }
            if wait.regex.as_ref().is_some_and(|regex| regex.is_match(&text)) {
                return Some(Met::Regex);
            }
        }
        if wait.prompt && self.prompt_at(look).is_some_and(|at| at <= look.now) {
            return Some(Met::Prompt);
        }
        if look.exited {
            return Some(Met::Exit);
        }
        if self.idle_at(look).is_some_and(|at| at <= look.now) {
            return Some(Met::Idle);
        }
        (look.now >= self.started + wait.limit()).then_some(Met::Timeout)
    }

    /// When to look again if nothing happens.
    pub(crate) fn wakeup(&self, look: &Look<'_>) -> Instant {
        let deadline = self.started + self.wait.limit();
        let prompt = if self.wait.prompt { self.prompt_at(look) } else { None };
        [self.idle_at(look), prompt].into_iter().flatten().fold(deadline, Instant::min)
    }

    fn prompt_at(&self, look: &Look<'_>) -> Option<Instant> {
        let prompt = look.prompt?;
        if self.wait.since.is_some_and(|since| prompt.seq <= since) {
            return None;
        }
        let settles = if prompt.guessed { GUESS_SETTLES } else { Duration::ZERO };
        Some(look.last_output.map_or(look.now, |at| at + settles))
    }

    fn idle_at(&self, look: &Look<'_>) -> Option<Instant> {
        let idle = self.wait.idle?;
        let came = self.wait.since.is_none_or(|since| look.seq > since);
        let quiet = match look.last_output {
            // Output that came before the wait counts too: what is quiet already is quiet.
            Some(at) if came => at + idle,
            None if came => self.started + idle,
            _ => self.started + idle.max(FIRST_OUTPUT),
        };
        Some(look.half_drawn_until.map_or(quiet, |until| quiet.max(until)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        start: Instant,
        text: String,
        over: bool,
    }

    impl Fake {
        fn new() -> Fake {
            Fake { start: Instant::now(), text: String::new(), over: false }
        }
        fn at(&self, ms: u64) -> Instant {
            self.start + Duration::from_millis(ms)
        }
        fn check(&self, running: &mut Running, now: u64, output: Option<u64>, seq: u64) -> Option<Met> {
            self.check_with(running, now, output, seq, None, None)
        }
        fn check_with(
            &self,
            running: &mut Running,
            now: u64,
            output: Option<u64>,
            seq: u64,
            prompt: Option<Prompt>,
            half_drawn_until: Option<u64>,
        ) -> Option<Met> {
            running.check(&Look {
                now: self.at(now),
                last_output: output.map(|ms| self.at(ms)),
                seq,
                prompt,
                exited: false,
                half_drawn_until: half_drawn_until.map(|ms| self.at(ms)),
                text_since: &|_| self.text.clone(),
                is_over: &|_| self.over,
            })
        }
    }

    #[test]
    fn text_is_true_at_once_if_it_already_holds() {
        let mut fake = Fake::new();
        let wait = Wait { text: Some("done".into()), ..Wait::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check(&mut running, 0, None, 0), None);
        fake.text = "all done".into();
        assert_eq!(fake.check(&mut running, 1, Some(1), 8), Some(Met::Text));
    }

    #[test]
    fn a_wait_without_a_limit_ends_after_thirty_seconds() {
        let fake = Fake::new();
        let mut running = Running::new(Wait { text: Some("x".into()), ..Wait::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 29_999, None, 0), None);
        assert_eq!(fake.check(&mut running, 30_000, None, 0), Some(Met::Timeout));
    }

    #[test]
    fn idle_after_input_means_changed_and_then_quiet() {
        let fake = Fake::new();
        let wait = Wait { idle: Some(Duration::from_millis(100)), since: Some(5), ..Wait::default() };
        let mut running = Running::new(wait, fake.at(0));
        // Long quiet before the input does not count.
        assert_eq!(fake.check(&mut running, 200, Some(0), 5), None);
        assert_eq!(fake.check(&mut running, 250, Some(250), 9), None);
        assert_eq!(fake.check(&mut running, 349, Some(250), 9), None);
        assert_eq!(fake.check(&mut running, 350, Some(250), 9), Some(Met::Idle));
        // A program that says nothing at all ends it too, later.
        let wait = Wait { idle: Some(Duration::from_millis(100)), since: Some(5), ..Wait::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check(&mut running, 500, Some(0), 5), Some(Met::Idle));
    }

    #[test]
    fn a_half_drawn_frame_is_not_idle() {
        let fake = Fake::new();
        let wait = Wait { idle: Some(Duration::from_millis(10)), ..Wait::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check_with(&mut running, 100, Some(0), 5, None, Some(150)), None);
        assert_eq!(fake.check_with(&mut running, 150, Some(0), 5, None, Some(150)), Some(Met::Idle));
    }

    #[test]
    fn an_old_prompt_does_not_end_a_wait_and_a_guessed_one_must_settle() {
        let fake = Fake::new();
        let wait = Wait { prompt: true, since: Some(10), ..Wait::default() };
        let mut running = Running::new(wait, fake.at(0));
        let prompt = |seq, guessed| Some(Prompt { seq, guessed });
        assert_eq!(fake.check_with(&mut running, 100, Some(0), 20, prompt(10, false), None), None);
        assert_eq!(fake.check_with(&mut running, 100, Some(90), 20, prompt(20, true), None), None);
        assert_eq!(
            fake.check_with(&mut running, 140, Some(90), 20, prompt(20, true), None),
            Some(Met::Prompt)
        );
        assert_eq!(
            fake.check_with(&mut running, 90, Some(90), 20, prompt(20, false), None),
            Some(Met::Prompt)
        );
    }

    #[test]
    fn a_pattern_that_would_grow_too_large_is_refused() {
        assert!(matches!(Wait::pattern("(a{1000}){1000}"), Err(SessionError::BadPattern(_))));
        assert!(Wait::pattern("(").is_err());
    }
}
