//! When a wait is over. Owns no clock and no terminal: the caller tells it the time and what it sees.

pub(crate) mod activity;
pub(crate) mod pattern;

use std::time::{Duration, Instant};

use cotty_protocol::op::{Met, Wait};
use regex::Regex;

use crate::SessionError;
use crate::error::invalid;
use crate::wait::pattern::pattern;

/// How long is waited where no time limit is given with a condition, and for a command.
pub const USUAL_WAIT: Duration = Duration::from_secs(30);
/// After input, silence counts only once something came back, or after this long without anything.
const FIRST_OUTPUT: Duration = Duration::from_millis(500);
/// A prompt that is only guessed from its look must stand still for this long.
const GUESS_SETTLES: Duration = Duration::from_millis(50);
/// A secret is asked for once it has been so for this long: a program that is about to take keys one by one may turn the
/// echo off before it does the rest.
const SECRET_SETTLES: Duration = Duration::from_millis(20);
/// What is drawn when a text appears is let finish: until it is quiet this long, but not longer than the second.
const FRAME_QUIET: Duration = Duration::from_millis(1);
const FRAME_LONGEST: Duration = Duration::from_millis(50);
/// What only the kernel knows (a secret asked for, a program that reads) announces nothing. It is looked at this long
/// after the last output or key, and then, as long as somebody waits for it, at the last of these intervals.
const SAMPLES: [Duration; 4] = [
    Duration::from_millis(2),
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(250),
];

/// A [`Wait`] with its patterns compiled, and what only the daemon itself waits for. The first condition that holds wins,
/// unless all are asked for; the program's exit ends every wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    /// This text appears.
    pub(crate) text: Option<String>,
    /// A match appears.
    pub(crate) regex: Option<Regex>,
    /// No output for this long, and no frame half drawn.
    pub(crate) idle: Option<Duration>,
    /// The shell waits for a command.
    pub(crate) prompt: bool,
    /// The shell has marked its prompt, and has read all that was typed before.
    pub(crate) shell: bool,
    /// The command that this request typed is over.
    pub(crate) command: Option<String>,
    /// The program asks for a secret.
    pub(crate) secret: bool,
    /// The program has taken what was typed and reads the terminal again.
    pub(crate) reads: bool,
    /// The program waits for input or asks for a secret, and has done nothing else for this long.
    pub(crate) asks: Option<Duration>,
    /// No person has the keyboard.
    pub(crate) keyboard: bool,
    /// All of the conditions at once, instead of any.
    pub(crate) all: bool,
    /// A match of this ends the wait, whatever else was asked for: what should not happen.
    pub(crate) stop: Option<Regex>,
    /// Only what came after this much output counts.
    pub(crate) since: Option<u64>,
    /// Give up after this long.
    pub(crate) timeout: Option<Duration>,
}

impl Conditions {
    /// Compiles what a caller waits for.
    pub(crate) fn new(wait: Wait) -> Result<Conditions, SessionError> {
        let not_empty = |name: &str, value: &Option<String>| match value {
            Some(value) if value.is_empty() => {
                Err(invalid(format!("`{name}` is empty, and would hold at once")))
            }
            _ => Ok(()),
        };
        not_empty("text", &wait.text)?;
        not_empty("regex", &wait.regex)?;
        not_empty("stop", &wait.stop)?;
        let compile = |given: Option<String>| given.as_deref().map(pattern).transpose();
        Ok(Conditions {
            text: wait.text,
            regex: compile(wait.regex)?,
            idle: wait.idle_ms.filter(|&ms| ms > 0).map(Duration::from_millis),
            prompt: wait.prompt,
            secret: wait.secret,
            reads: wait.reads,
            keyboard: wait.keyboard,
            all: wait.all,
            stop: compile(wait.stop)?,
            since: wait.since,
            timeout: wait.timeout_ms.map(Duration::from_millis),
            ..Conditions::default()
        })
    }

    fn reads_text(&self) -> bool {
        self.text.is_some() || self.regex.is_some() || self.stop.is_some()
    }

    fn limit(&self) -> Duration {
        self.timeout.unwrap_or(USUAL_WAIT)
    }
}

/// What the session looks like at a moment. What costs something is asked only if needed.
pub(crate) struct Look<'a> {
    pub(crate) now: Instant,
    /// When output came last.
    pub(crate) last_output: Option<Instant>,
    /// When anything came or was typed last.
    pub(crate) last_change: Option<Instant>,
    pub(crate) seq: u64,
    /// The shell waits since this much output; guessed where it has no marks.
    pub(crate) prompt: Option<Prompt>,
    /// What is shown looks like a prompt, of a program that has not been seen to read.
    pub(crate) perhaps_prompt: bool,
    pub(crate) exited: bool,
    /// The program is in the middle of drawing, and is given until then to finish.
    pub(crate) half_drawn_until: Option<Instant>,
    /// No person has the keyboard.
    pub(crate) keyboard_free: bool,
    pub(crate) asks_secret: &'a dyn Fn() -> bool,
    pub(crate) reads: &'a dyn Fn() -> bool,
    pub(crate) shell_waits: &'a dyn Fn() -> bool,
    pub(crate) asks: &'a dyn Fn() -> bool,
    /// What came since, without the echo of what was typed; with a second number only what changed after it.
    pub(crate) text_since: &'a dyn Fn(Option<u64>, Option<u64>) -> String,
    /// Whether the command that a request typed is over.
    pub(crate) is_over: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) seq: u64,
    pub(crate) guessed: bool,
}

/// Something that was found in the output.
#[derive(Debug, Clone)]
struct Found {
    at: Instant,
    line: String,
}

/// A wait that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) wait: Conditions,
    pub(crate) started: Instant,
    /// When it was checked last.
    checked: Instant,
    /// The output that was searched last, to search only when there is more.
    searched: Option<u64>,
    text: Option<Found>,
    regex: Option<Found>,
    stop: Option<Found>,
    /// Since when the program has been seen asking, without a break.
    asking: Option<Instant>,
    /// The same for a secret.
    secret: Option<Instant>,
}

impl Running {
    pub(crate) fn new(wait: Conditions, now: Instant) -> Running {
        let (text, regex, stop) = (None, None, None);
        let (asking, secret) = (None, None);
        Running { wait, started: now, checked: now, searched: None, text, regex, stop, asking, secret }
    }

    /// The condition that holds now, if one does.
    pub(crate) fn check(&mut self, look: &Look<'_>) -> Option<Met> {
        self.checked = look.now;
        self.search(look);
        if self.wait.asks.is_some() {
            // What came since was not a program that only waits.
            let unbroken = self.asking.filter(|since| look.last_change.is_none_or(|at| at <= *since));
            self.asking = (look.asks)().then(|| unbroken.unwrap_or(look.now));
        }
        if self.wait.secret {
            self.secret = (look.asks_secret)().then(|| self.secret.unwrap_or(look.now));
        }
        let holds = |at: Option<Instant>| at.is_some_and(|at| at <= look.now || look.exited);
        if holds(frame_ends(self.stop.as_ref(), look)) {
            return Some(Met::Stop);
        }
        let conditions = self.conditions(look);
        let met = if self.wait.all {
            let all = !conditions.is_empty() && conditions.iter().all(|(_, at)| holds(*at));
            all.then_some(Met::All)
        } else {
            conditions.iter().find(|(_, at)| holds(*at)).map(|(met, _)| *met)
        };
        match met {
            // What is quiet because it has ended is told as ended.
            Some(Met::Idle) | None if look.exited => Some(Met::Exit),
            None if look.now >= self.started + self.wait.limit() => Some(Met::Timeout),
            met => met,
        }
    }

    /// When to look again if nothing happens.
    pub(crate) fn wakeup(&self, look: &Look<'_>) -> Instant {
        // As of the last check, else what comes true between the two is never looked at.
        let look = &Look { now: self.checked, ..*look };
        let deadline = self.started + self.wait.limit();
        let wait = &self.wait;
        let unannounced = wait.secret
            || wait.reads
            || wait.shell
            || wait.asks.is_some()
            || (wait.prompt && look.perhaps_prompt);
        let samples = unannounced.then(|| next_sample(look, self.started));
        let stop = frame_ends(self.stop.as_ref(), look);
        let due = self.conditions(look).into_iter().filter_map(|(_, at)| at.filter(|at| *at > look.now));
        due.chain(stop).chain(samples).fold(deadline, Instant::min)
    }

    /// The line in which something was found.
    pub(crate) fn found(&self, met: Met) -> Option<String> {
        let found = match met {
            Met::Text => &self.text,
            Met::Regex => &self.regex,
            Met::Stop => &self.stop,
            Met::All => return self.text.as_ref().or(self.regex.as_ref()).map(|found| found.line.clone()),
            _ => return None,
        };
        found.as_ref().map(|found| found.line.clone())
    }

    /// Each condition that was asked for, and since or from when it holds; the order is which is told first.
    fn conditions(&self, look: &Look<'_>) -> Vec<(Met, Option<Instant>)> {
        let wait = &self.wait;
        let now_if = |holds: bool| holds.then_some(look.now);
        let mut conditions = Vec::new();
        if let Some(request) = &wait.command {
            conditions.push((Met::Prompt, now_if((look.is_over)(request))));
        }
        if wait.text.is_some() {
            conditions.push((Met::Text, frame_ends(self.text.as_ref(), look)));
        }
        if wait.regex.is_some() {
            conditions.push((Met::Regex, frame_ends(self.regex.as_ref(), look)));
        }
        if wait.prompt {
            conditions.push((Met::Prompt, self.prompt_at(look)));
        }
        if wait.shell {
            conditions.push((Met::Prompt, now_if((look.shell_waits)())));
        }
        if wait.secret {
            conditions.push((Met::Secret, self.secret.map(|since| since + SECRET_SETTLES)));
        }
        if wait.keyboard {
            conditions.push((Met::Keyboard, now_if(look.keyboard_free)));
        }
        if wait.reads {
            conditions.push((Met::Reads, now_if((look.reads)())));
        }
        if let Some(quiet) = wait.asks {
            conditions.push((Met::Reads, self.asking.map(|since| since + quiet)));
        }
        if wait.idle.is_some() {
            conditions.push((Met::Idle, self.idle_at(look)));
        }
        conditions
    }

    /// Looks for what has not been found yet, in what came since the last time.
    fn search(&mut self, look: &Look<'_>) {
        let wait = &self.wait;
        if !wait.reads_text() || self.searched == Some(look.seq) {
            return;
        }
        // All of it again while that is little, since a pattern may span lines.
        let much = look.seq.saturating_sub(wait.since.unwrap_or(0)) > MUCH;
        let text = (look.text_since)(wait.since, self.searched.filter(|_| much));
        self.searched = Some(look.seq);
        let found = |range: std::ops::Range<usize>| Found { at: look.now, line: line_at(&text, range) };
        if let (Some(needle), None) = (&wait.text, &self.text) {
            self.text = text.find(needle.as_str()).map(|at| found(at..at + needle.len()));
        }
        if let (Some(regex), None) = (&wait.regex, &self.regex) {
            self.regex = regex.find(&text).map(|found_at| found(found_at.range()));
        }
        if let (Some(regex), None) = (&wait.stop, &self.stop) {
            self.stop = regex.find(&text).map(|found_at| found(found_at.range()));
        }
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

/// More output than this is searched piece by piece.
const MUCH: u64 = 256 << 10;
/// The most of a line that is told.
const LONGEST_LINE: usize = 500;

/// When what is drawn with a find has had its time to be finished.
fn frame_ends(found: Option<&Found>, look: &Look<'_>) -> Option<Instant> {
    let found = found?;
    let quiet = look.last_output.map_or(found.at, |at| at + FRAME_QUIET);
    Some(quiet.clamp(found.at, found.at + FRAME_LONGEST))
}

fn next_sample(look: &Look<'_>, started: Instant) -> Instant {
    let change = look.last_change.map_or(started, |at| at.max(started));
    let due = SAMPLES.iter().map(|after| change + *after).find(|at| *at > look.now);
    due.unwrap_or(look.now + SAMPLES[SAMPLES.len() - 1])
}

/// The line, or lines, around a find.
fn line_at(text: &str, range: std::ops::Range<usize>) -> String {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    text[start..end].chars().take(LONGEST_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        start: Instant,
        text: String,
        newest: String,
        over: bool,
        secret: bool,
        reads: bool,
        shell_waits: bool,
        asks: bool,
        perhaps_prompt: bool,
        keyboard_free: bool,
        exited: bool,
    }

    impl Fake {
        fn new() -> Fake {
            Fake {
                start: Instant::now(),
                text: String::new(),
                newest: String::new(),
                over: false,
                secret: false,
                reads: false,
                shell_waits: false,
                asks: false,
                perhaps_prompt: false,
                keyboard_free: true,
                exited: false,
            }
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
            self.look(now, output, seq, prompt, half_drawn_until, |look| running.check(look))
        }
        fn wakeup(&self, running: &Running, now: u64, output: Option<u64>) -> Instant {
            self.look(now, output, 5, None, None, |look| running.wakeup(look))
        }
        fn look<T>(
            &self,
            now: u64,
            output: Option<u64>,
            seq: u64,
            prompt: Option<Prompt>,
            half_drawn_until: Option<u64>,
            decide: impl FnOnce(&Look<'_>) -> T,
        ) -> T {
            decide(&Look {
                now: self.at(now),
                last_output: output.map(|ms| self.at(ms)),
                seq,
                prompt,
                exited: self.exited,
                half_drawn_until: half_drawn_until.map(|ms| self.at(ms)),
                last_change: output.map(|ms| self.at(ms)),
                keyboard_free: self.keyboard_free,
                asks_secret: &|| self.secret,
                reads: &|| self.reads,
                shell_waits: &|| self.shell_waits,
                asks: &|| self.asks,
                perhaps_prompt: self.perhaps_prompt,
                text_since: &|_, after| if after.is_some() { self.newest.clone() } else { self.text.clone() },
                is_over: &|_| self.over,
            })
        }
    }

    #[test]
    fn text_is_true_at_once_if_it_already_holds() {
        let mut fake = Fake::new();
        let wait = Conditions { text: Some("done".into()), ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check(&mut running, 0, None, 0), None);
        fake.text = "all done".into();
        assert_eq!(fake.check(&mut running, 1, Some(1), 8), None);
        assert_eq!(fake.check(&mut running, 3, Some(1), 8), Some(Met::Text));
        assert_eq!(running.found(Met::Text).as_deref(), Some("all done"));
        // What is long quiet is true at once.
        let mut running =
            Running::new(Conditions { text: Some("done".into()), ..Conditions::default() }, fake.at(50));
        assert_eq!(fake.check(&mut running, 50, Some(1), 8), Some(Met::Text));
    }

    #[test]
    fn what_comes_true_right_after_a_check_is_looked_at() {
        let mut fake = Fake::new();
        let mut running =
            Running::new(Conditions { text: Some("done".into()), ..Conditions::default() }, fake.at(0));
        fake.text = "all done".into();
        assert_eq!(fake.check(&mut running, 1, Some(1), 8), None);
        // The caller was held up between the check and the question.
        assert_eq!(fake.wakeup(&running, 4, Some(1)), fake.at(2));
    }

    #[test]
    fn a_shell_that_reads_what_was_typed_is_looked_at_again_and_again() {
        let mut fake = Fake::new();
        let mut running = Running::new(Conditions { shell: true, ..Conditions::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 0, Some(0), 5), None);
        assert_eq!(fake.wakeup(&running, 0, Some(0)), fake.at(2));
        assert_eq!(fake.check(&mut running, 300, Some(0), 5), None);
        assert_eq!(fake.wakeup(&running, 300, Some(0)), fake.at(550));
        fake.shell_waits = true;
        assert_eq!(fake.check(&mut running, 550, Some(0), 5), Some(Met::Prompt));
    }

    #[test]
    fn a_wait_without_a_limit_ends_after_thirty_seconds() {
        let fake = Fake::new();
        let mut running =
            Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 29_999, None, 0), None);
        assert_eq!(fake.check(&mut running, 30_000, None, 0), Some(Met::Timeout));
    }

    #[test]
    fn idle_after_input_means_changed_and_then_quiet() {
        let fake = Fake::new();
        let wait =
            Conditions { idle: Some(Duration::from_millis(100)), since: Some(5), ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        // Long quiet before the input does not count.
        assert_eq!(fake.check(&mut running, 200, Some(0), 5), None);
        assert_eq!(fake.check(&mut running, 250, Some(250), 9), None);
        assert_eq!(fake.check(&mut running, 349, Some(250), 9), None);
        assert_eq!(fake.check(&mut running, 350, Some(250), 9), Some(Met::Idle));
        // A program that says nothing at all ends it too, later.
        let wait =
            Conditions { idle: Some(Duration::from_millis(100)), since: Some(5), ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check(&mut running, 500, Some(0), 5), Some(Met::Idle));
    }

    #[test]
    fn a_half_drawn_frame_is_not_idle() {
        let fake = Fake::new();
        let wait = Conditions { idle: Some(Duration::from_millis(10)), ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        assert_eq!(fake.check_with(&mut running, 100, Some(0), 5, None, Some(150)), None);
        assert_eq!(fake.check_with(&mut running, 150, Some(0), 5, None, Some(150)), Some(Met::Idle));
    }

    #[test]
    fn an_old_prompt_does_not_end_a_wait_and_a_guessed_one_must_settle() {
        let fake = Fake::new();
        let wait = Conditions { prompt: true, since: Some(10), ..Conditions::default() };
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
    fn what_is_drawn_with_a_find_is_let_finish() {
        let mut fake = Fake::new();
        fake.text = "x".into();
        let mut running =
            Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
        for ms in 0..50 {
            // More comes all the time.
            assert_eq!(fake.check(&mut running, ms, Some(ms), ms + 1), None, "{ms}");
        }
        assert_eq!(fake.check(&mut running, 50, Some(50), 60), Some(Met::Text));
    }

    #[test]
    fn what_should_not_happen_ends_a_wait() {
        let mut fake = Fake::new();
        let stop = Some(pattern("error|failed").unwrap());
        let wait = Conditions { text: Some("done".into()), stop, ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        fake.text = "one\nit failed here\ntwo".into();
        assert_eq!(fake.check(&mut running, 8, Some(8), 5), None);
        assert_eq!(fake.check(&mut running, 9, Some(8), 5), Some(Met::Stop));
        assert_eq!(running.found(Met::Stop).as_deref(), Some("it failed here"));
    }

    #[test]
    fn all_means_all_at_once() {
        let mut fake = Fake::new();
        let wait = Conditions { text: Some("x".into()), secret: true, all: true, ..Conditions::default() };
        let mut running = Running::new(wait, fake.at(0));
        fake.text = "x".into();
        assert_eq!(fake.check(&mut running, 20, Some(0), 5), None);
        fake.secret = true;
        assert_eq!(fake.check(&mut running, 30, Some(0), 5), None);
        assert_eq!(fake.check(&mut running, 50, Some(0), 5), Some(Met::All));
        // Nothing asked for is not everything.
        let mut running = Running::new(Conditions { all: true, ..Conditions::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 30, Some(0), 5), None);
    }

    #[test]
    fn the_kernel_is_asked_at_moments_and_the_keyboard_tells_itself() {
        let mut fake = Fake::new();
        let mut running =
            Running::new(Conditions { secret: true, reads: true, ..Conditions::default() }, fake.at(0));
        for (now, due) in [(3, 5), (5, 13), (13, 53), (53, 253), (253, 503), (503, 753)] {
            assert_eq!(fake.check(&mut running, now, Some(3), 5), None);
            assert_eq!(fake.wakeup(&running, now, Some(3)), fake.at(due), "at {now}");
        }
        fake.reads = true;
        assert_eq!(fake.check(&mut running, 753, Some(3), 5), Some(Met::Reads));
        fake.keyboard_free = false;
        let mut running = Running::new(Conditions { keyboard: true, ..Conditions::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 5, None, 5), None);
        fake.keyboard_free = true;
        assert_eq!(fake.check(&mut running, 5, None, 5), Some(Met::Keyboard));
    }

    #[test]
    fn an_echo_that_is_off_for_a_moment_is_no_question_for_a_secret() {
        let mut fake = Fake::new();
        let mut running = Running::new(Conditions { secret: true, ..Conditions::default() }, fake.at(0));
        fake.secret = true;
        assert_eq!(fake.check(&mut running, 3, Some(1), 5), None);
        assert_eq!(fake.wakeup(&running, 3, Some(1)), fake.at(11));
        fake.secret = false;
        assert_eq!(fake.check(&mut running, 11, Some(1), 5), None);
        fake.secret = true;
        assert_eq!(fake.check(&mut running, 51, Some(1), 5), None);
        assert_eq!(fake.wakeup(&running, 51, Some(1)), fake.at(71));
        assert_eq!(fake.check(&mut running, 71, Some(1), 5), Some(Met::Secret));
    }

    #[test]
    fn a_program_asks_once_it_has_done_nothing_else_for_a_while() {
        let mut fake = Fake::new();
        let asks = || Conditions { asks: Some(Duration::from_millis(500)), ..Conditions::default() };
        let mut running = Running::new(asks(), fake.at(0));
        assert_eq!(fake.check(&mut running, 1000, Some(0), 5), None);
        // Seen reading, between other things.
        fake.asks = true;
        assert_eq!(fake.check(&mut running, 1010, Some(0), 5), None);
        fake.asks = false;
        assert_eq!(fake.check(&mut running, 1250, Some(0), 5), None);
        fake.asks = true;
        assert_eq!(fake.check(&mut running, 1600, Some(0), 5), None);
        // It says something.
        assert_eq!(fake.check(&mut running, 2000, Some(1900), 9), None);
        assert_eq!(fake.check(&mut running, 2499, Some(1900), 9), None);
        assert_eq!(fake.check(&mut running, 2500, Some(1900), 9), Some(Met::Reads));
    }

    #[test]
    fn what_looks_like_a_prompt_is_looked_at_again() {
        let mut fake = Fake::new();
        let prompt = || Conditions { prompt: true, ..Conditions::default() };
        let mut running = Running::new(prompt(), fake.at(0));
        assert_eq!(fake.check(&mut running, 3, Some(3), 5), None);
        assert_eq!(fake.wakeup(&running, 3, Some(3)), fake.at(30_000));
        fake.perhaps_prompt = true;
        assert_eq!(fake.wakeup(&running, 3, Some(3)), fake.at(5));
    }

    #[test]
    fn much_output_is_searched_piece_by_piece() {
        let mut fake = Fake::new();
        let mut running =
            Running::new(Conditions { text: Some("x".into()), ..Conditions::default() }, fake.at(0));
        assert_eq!(fake.check(&mut running, 0, None, MUCH + 1), None);
        fake.text = "never looked at: x".into();
        assert_eq!(fake.check(&mut running, 100, Some(0), MUCH + 2), None);
        fake.newest = "x".into();
        assert_eq!(fake.check(&mut running, 200, Some(0), MUCH + 3), Some(Met::Text));
    }

    #[test]
    fn the_end_is_told_as_such_unless_what_was_waited_for_came_first() {
        let mut fake = Fake::new();
        fake.exited = true;
        let idle = Conditions { idle: Some(Duration::from_millis(1)), ..Conditions::default() };
        assert_eq!(fake.check(&mut Running::new(idle, fake.at(0)), 10, Some(0), 5), Some(Met::Exit));
        fake.text = "done".into();
        let text = Conditions { text: Some("done".into()), ..Conditions::default() };
        assert_eq!(fake.check(&mut Running::new(text, fake.at(9)), 10, Some(10), 5), Some(Met::Text));
    }

    #[test]
    fn an_empty_text_or_pattern_is_refused() {
        for wait in [
            Wait { text: Some(String::new()), ..Wait::default() },
            Wait { regex: Some(String::new()), ..Wait::default() },
            Wait { stop: Some(String::new()), ..Wait::default() },
            Wait { regex: Some("(".into()), ..Wait::default() },
        ] {
            assert!(Conditions::new(wait.clone()).is_err(), "{wait:?}");
        }
        let idle = Conditions::new(Wait { idle_ms: Some(0), ..Wait::default() }).unwrap();
        assert_eq!(idle.idle, None, "no time at all is no condition");
    }
}
