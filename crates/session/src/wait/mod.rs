//! Decides when a wait is over. It has no clock and no terminal: callers pass the time and the state of the session.

mod activity;
pub(crate) mod facts;
pub(crate) mod observation;
#[cfg(test)]
mod observation_tests;
pub(crate) mod pattern;
pub(crate) mod prompt;
#[cfg(test)]
mod tests;
pub(crate) mod why;

use std::time::{Duration, Instant};

use cotty_protocol::op::{Met, Wait};
use regex::Regex;

use self::pattern::pattern;
use self::prompt::Prompt;
use crate::SessionError;
use crate::error::invalid;
use crate::handle::{RunResult, Waited};
use crate::request::Reply;

/// The default time limit of a wait, and of a command.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(30);
/// After input, silence counts only once there was output, or after this long without any.
const FIRST_OUTPUT: Duration = Duration::from_millis(500);
/// A prompt that is only guessed from its look must stay unchanged for this long.
const GUESS_SETTLES: Duration = Duration::from_millis(50);
/// A question for a secret counts once it has lasted this long: a program that is about to read keys one by one may turn the
/// echo off first.
const SECRET_SETTLES: Duration = Duration::from_millis(20);
/// After a match the program may finish drawing: until it is quiet for `FRAME_QUIET`, at most for `FRAME_LONGEST`.
const FRAME_QUIET: Duration = Duration::from_millis(1);
const FRAME_LONGEST: Duration = Duration::from_millis(50);
/// No event reports what only the kernel knows (a question for a secret, a program that reads). It is checked this long after
/// the last output or key, and then at the last of these intervals, as long as a wait needs it.
const SAMPLES: [Duration; 4] = [
    Duration::from_millis(2),
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(250),
];

/// A [`Wait`] with its patterns compiled, and conditions that only the daemon itself uses. The first condition that holds
/// ends the wait, unless `all` is set; the program's exit ends every wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    /// This text appears.
    pub(crate) text: Option<String>,
    /// A match of this pattern appears.
    pub(crate) regex: Option<Regex>,
    /// No output for this long, and no frame half drawn.
    pub(crate) idle: Option<Duration>,
    /// The shell waits for a command.
    pub(crate) prompt: bool,
    /// The shell has marked its prompt, and has read all input before that.
    pub(crate) shell: bool,
    /// The command that this request typed is over.
    pub(crate) command: Option<String>,
    /// The program asks for a secret.
    pub(crate) secret: bool,
    /// The program has read its input and reads the terminal again.
    pub(crate) reads: bool,
    /// The program waits for input or asks for a secret, and has done nothing else for this long.
    pub(crate) asks: Option<Duration>,
    /// No person has the keyboard.
    pub(crate) keyboard: bool,
    /// All of the conditions at once, instead of any.
    pub(crate) all: bool,
    /// A match of this pattern, for what should not happen, ends the wait, whatever the other conditions.
    pub(crate) stop: Option<Regex>,
    /// Only output after this seq counts.
    pub(crate) since: Option<u64>,
    /// Give up after this long.
    pub(crate) timeout: Option<Duration>,
}

impl Conditions {
    /// Compiles a caller's conditions.
    pub(crate) fn new(wait: Wait) -> Result<Conditions, SessionError> {
        let not_empty = |name: &str, value: &Option<String>| match value {
            Some(value) if value.is_empty() => {
                Err(invalid(format!("`{name}` is empty and would match at once")))
            }
            _ => Ok(()),
        };
        not_empty("text", &wait.text)?;
        not_empty("regex", &wait.regex)?;
        not_empty("stop", &wait.stop)?;
        let compile = |given: Option<String>| given.as_deref().map(pattern).transpose();
        Ok(Conditions {
            text: wait.text,
            regex: compile(wait.regex).map_err(|error| error.or_literal("text"))?,
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
        self.timeout.unwrap_or(DEFAULT_WAIT)
    }
}

/// The state of a session at one moment. Expensive facts are functions, called only if needed.
pub(crate) struct Evidence<'a> {
    pub(crate) now: Instant,
    /// When the program last wrote output.
    pub(crate) last_output: Option<Instant>,
    /// When there was output or input last.
    pub(crate) last_change: Option<Instant>,
    pub(crate) seq: u64,
    /// The prompt at which the shell waits; guessed if it has no marks.
    pub(crate) prompt: Option<Prompt>,
    /// The screen looks like a prompt, but the program was not seen reading.
    pub(crate) perhaps_prompt: bool,
    pub(crate) exited: bool,
    /// The program is in the middle of a frame, and has until then to finish it.
    pub(crate) half_drawn_until: Option<Instant>,
    /// No person has the keyboard.
    pub(crate) keyboard_free: bool,
    pub(crate) asks_secret: &'a dyn Fn() -> bool,
    pub(crate) reads: &'a dyn Fn() -> bool,
    pub(crate) shell_waits: &'a dyn Fn() -> bool,
    pub(crate) asks: &'a dyn Fn() -> bool,
    /// The text since a seq, without the echo of input; with a second seq, only lines that changed after that.
    pub(crate) text_since: &'a dyn Fn(Option<u64>, Option<u64>) -> String,
    /// Whether the command that a request typed is over.
    pub(crate) is_over: &'a dyn Fn(&str) -> bool,
}

/// A match in the output.
#[derive(Debug, Clone)]
struct FoundLine {
    at: Instant,
    line: String,
}

/// The waits of a session, each with the caller to answer.
#[derive(Debug, Default)]
pub(crate) struct Waits(Vec<(Running, Waiter)>);

/// The caller that a wait answers.
#[derive(Debug)]
pub(crate) enum Waiter {
    Wait(Reply<Waited>),
    /// A `run`, which gets the result of its command.
    Run {
        run: String,
        reader: String,
        reply: Reply<Result<RunResult, SessionError>>,
    },
}

impl Waiter {
    fn is_gone(&self) -> bool {
        match self {
            Waiter::Wait(reply) => reply.is_closed(),
            Waiter::Run { reply, .. } => reply.is_closed(),
        }
    }
}

/// A wait that is over.
pub(crate) struct Over {
    pub(crate) running: Running,
    pub(crate) met: Met,
    pub(crate) waiter: Waiter,
}

impl Waits {
    pub(crate) fn add(&mut self, wait: Conditions, now: Instant, waiter: Waiter) {
        self.0.push((Running::new(wait, now), waiter));
    }

    /// Drops waits whose caller has disconnected; returns whether none are left.
    pub(crate) fn are_none(&mut self) -> bool {
        self.0.retain(|(_, waiter)| !waiter.is_gone());
        self.0.is_empty()
    }

    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Takes out the waits that are over.
    pub(crate) fn check(&mut self, seen: &Evidence<'_>) -> Vec<Over> {
        let mut over = Vec::new();
        for (mut running, waiter) in std::mem::take(&mut self.0) {
            match running.check(seen) {
                Some(met) => over.push(Over { running, met, waiter }),
                None => self.0.push((running, waiter)),
            }
        }
        over
    }

    /// When to check again if nothing happens.
    pub(crate) fn wakeup(&self, seen: &Evidence<'_>) -> Option<Instant> {
        self.0.iter().map(|(running, _)| running.wakeup(seen)).min()
    }
}

/// A wait that is not over.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) wait: Conditions,
    pub(crate) started: Instant,
    /// When it was checked last.
    checked: Instant,
    /// The seq of the last search, to search only when there is more output.
    searched: Option<u64>,
    text: Option<FoundLine>,
    regex: Option<FoundLine>,
    stop: Option<FoundLine>,
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
    pub(crate) fn check(&mut self, seen: &Evidence<'_>) -> Option<Met> {
        self.checked = seen.now;
        self.search(seen);
        if self.wait.asks.is_some() {
            // A program with output or input since then did not only wait.
            let unbroken = self.asking.filter(|since| seen.last_change.is_none_or(|at| at <= *since));
            self.asking = (seen.asks)().then(|| unbroken.unwrap_or(seen.now));
        }
        if self.wait.secret {
            self.secret = (seen.asks_secret)().then(|| self.secret.unwrap_or(seen.now));
        }
        let holds = |at: Option<Instant>| at.is_some_and(|at| at <= seen.now || seen.exited);
        if holds(frame_ends(self.stop.as_ref(), seen)) {
            return Some(Met::Stop);
        }
        let conditions = self.conditions(seen);
        let met = if self.wait.all {
            let all = !conditions.is_empty() && conditions.iter().all(|(_, at)| holds(*at));
            all.then_some(Met::All)
        } else {
            conditions.iter().find(|(_, at)| holds(*at)).map(|(met, _)| *met)
        };
        match met {
            // A program that is quiet because it has ended is reported as ended.
            Some(Met::Idle) | None if seen.exited => Some(Met::Exit),
            None if seen.now >= self.started + self.wait.limit() => Some(Met::Timeout),
            met => met,
        }
    }

    /// When to check again if nothing happens.
    pub(crate) fn wakeup(&self, seen: &Evidence<'_>) -> Instant {
        // As of the last check: otherwise a condition that became true since then would never be checked.
        let seen = &Evidence { now: self.checked, ..*seen };
        let deadline = self.started + self.wait.limit();
        let wait = &self.wait;
        let unannounced = wait.secret
            || wait.reads
            || wait.shell
            || wait.asks.is_some()
            || (wait.prompt && seen.perhaps_prompt);
        let samples = unannounced.then(|| next_sample(seen, self.started));
        let stop = frame_ends(self.stop.as_ref(), seen);
        let due = self.conditions(seen).into_iter().filter_map(|(_, at)| at.filter(|at| *at > seen.now));
        due.chain(stop).chain(samples).fold(deadline, Instant::min)
    }

    /// The line with the match.
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

    /// Each requested condition, and from when it holds, in the order in which they are reported.
    fn conditions(&self, seen: &Evidence<'_>) -> Vec<(Met, Option<Instant>)> {
        let wait = &self.wait;
        let now_if = |holds: bool| holds.then_some(seen.now);
        let mut conditions = Vec::new();
        if let Some(retry_id) = &wait.command {
            conditions.push((Met::Prompt, now_if((seen.is_over)(retry_id))));
        }
        if wait.text.is_some() {
            conditions.push((Met::Text, frame_ends(self.text.as_ref(), seen)));
        }
        if wait.regex.is_some() {
            conditions.push((Met::Regex, frame_ends(self.regex.as_ref(), seen)));
        }
        if wait.prompt {
            conditions.push((Met::Prompt, self.prompt_at(seen)));
        }
        if wait.shell {
            conditions.push((Met::Prompt, now_if((seen.shell_waits)())));
        }
        if wait.secret {
            conditions.push((Met::Secret, self.secret.map(|since| since + SECRET_SETTLES)));
        }
        if wait.keyboard {
            conditions.push((Met::Keyboard, now_if(seen.keyboard_free)));
        }
        if wait.reads {
            conditions.push((Met::Reads, now_if((seen.reads)())));
        }
        if let Some(quiet) = wait.asks {
            conditions.push((Met::Reads, self.asking.map(|since| since + quiet)));
        }
        if wait.idle.is_some() {
            conditions.push((Met::Idle, self.idle_at(seen)));
        }
        conditions
    }

    /// Searches new output for the patterns that have not matched yet.
    fn search(&mut self, seen: &Evidence<'_>) {
        let wait = &self.wait;
        if !wait.reads_text() || self.searched == Some(seen.seq) {
            return;
        }
        // While there is little output, all of it is searched again, since a match may span lines.
        let much = seen.seq.saturating_sub(wait.since.unwrap_or(0)) > MUCH;
        let text = (seen.text_since)(wait.since, self.searched.filter(|_| much));
        self.searched = Some(seen.seq);
        let found = |range: std::ops::Range<usize>| FoundLine { at: seen.now, line: line_at(&text, range) };
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

    fn prompt_at(&self, seen: &Evidence<'_>) -> Option<Instant> {
        let prompt = seen.prompt?;
        if self.wait.since.is_some_and(|since| prompt.seq <= since) {
            return None;
        }
        let settles = if prompt.guessed { GUESS_SETTLES } else { Duration::ZERO };
        Some(seen.last_output.map_or(seen.now, |at| at + settles))
    }

    fn idle_at(&self, seen: &Evidence<'_>) -> Option<Instant> {
        let idle = self.wait.idle?;
        let has_output = self.wait.since.is_none_or(|since| seen.seq > since);
        let quiet = match seen.last_output {
            // Silence from before the wait counts, too.
            Some(at) if has_output => at + idle,
            None if has_output => self.started + idle,
            _ => self.started + idle.max(FIRST_OUTPUT),
        };
        Some(seen.half_drawn_until.map_or(quiet, |until| quiet.max(until)))
    }
}

/// More output than this is searched piece by piece.
const MUCH: u64 = 256 << 10;
/// Most characters of a matching line that are returned.
const LONGEST_LINE: usize = 500;

/// When the program has had the time to finish drawing after a match.
fn frame_ends(found: Option<&FoundLine>, seen: &Evidence<'_>) -> Option<Instant> {
    let found = found?;
    let quiet = seen.last_output.map_or(found.at, |at| at + FRAME_QUIET);
    Some(quiet.clamp(found.at, found.at + FRAME_LONGEST))
}

fn next_sample(seen: &Evidence<'_>, started: Instant) -> Instant {
    let change = seen.last_change.map_or(started, |at| at.max(started));
    let due = SAMPLES.iter().map(|after| change + *after).find(|at| *at > seen.now);
    due.unwrap_or(seen.now + SAMPLES[SAMPLES.len() - 1])
}

/// The line, or lines, around a match.
fn line_at(text: &str, range: std::ops::Range<usize>) -> String {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    text[start..end].chars().take(LONGEST_LINE).collect()
}
