//! When a wait is over. Owns no clock and no terminal: the caller tells it the time and what it sees.

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
use tokio::sync::oneshot;

use self::pattern::pattern;
use self::prompt::Prompt;
use crate::SessionError;
use crate::error::invalid;
use crate::handle::Waited;

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
pub(crate) struct Evidence<'a> {
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

/// Something that was found in the output.
#[derive(Debug, Clone)]
struct FoundLine {
    at: Instant,
    line: String,
}

/// The waits of a session, and who is answered when each is over.
#[derive(Debug, Default)]
pub(crate) struct Waits(Vec<(Running, oneshot::Sender<Waited>)>);

/// A wait that is over.
pub(crate) struct Over {
    pub(crate) running: Running,
    pub(crate) met: Met,
    pub(crate) reply: oneshot::Sender<Waited>,
}

impl Waits {
    pub(crate) fn add(&mut self, wait: Conditions, now: Instant, reply: oneshot::Sender<Waited>) {
        self.0.push((Running::new(wait, now), reply));
    }

    /// Forgets those whose caller is gone; whether none are left.
    pub(crate) fn are_none(&mut self) -> bool {
        self.0.retain(|(_, reply)| !reply.is_closed());
        self.0.is_empty()
    }

    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Those that are over.
    pub(crate) fn check(&mut self, look: &Evidence<'_>) -> Vec<Over> {
        let mut over = Vec::new();
        for (mut running, reply) in std::mem::take(&mut self.0) {
            match running.check(look) {
                Some(met) => over.push(Over { running, met, reply }),
                None => self.0.push((running, reply)),
            }
        }
        over
    }

    /// When to look again if nothing happens.
    pub(crate) fn wakeup(&self, look: &Evidence<'_>) -> Option<Instant> {
        self.0.iter().map(|(running, _)| running.wakeup(look)).min()
    }
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
    pub(crate) fn check(&mut self, look: &Evidence<'_>) -> Option<Met> {
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
    pub(crate) fn wakeup(&self, look: &Evidence<'_>) -> Instant {
        // As of the last check, else what comes true between the two is never looked at.
        let look = &Evidence { now: self.checked, ..*look };
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
    fn conditions(&self, look: &Evidence<'_>) -> Vec<(Met, Option<Instant>)> {
        let wait = &self.wait;
        let now_if = |holds: bool| holds.then_some(look.now);
        let mut conditions = Vec::new();
        if let Some(retry_id) = &wait.command {
            conditions.push((Met::Prompt, now_if((look.is_over)(retry_id))));
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
    fn search(&mut self, look: &Evidence<'_>) {
        let wait = &self.wait;
        if !wait.reads_text() || self.searched == Some(look.seq) {
            return;
        }
        // All of it again while that is little, since a pattern may span lines.
        let much = look.seq.saturating_sub(wait.since.unwrap_or(0)) > MUCH;
        let text = (look.text_since)(wait.since, self.searched.filter(|_| much));
        self.searched = Some(look.seq);
        let found = |range: std::ops::Range<usize>| FoundLine { at: look.now, line: line_at(&text, range) };
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

    fn prompt_at(&self, look: &Evidence<'_>) -> Option<Instant> {
        let prompt = look.prompt?;
        if self.wait.since.is_some_and(|since| prompt.seq <= since) {
            return None;
        }
        let settles = if prompt.guessed { GUESS_SETTLES } else { Duration::ZERO };
        Some(look.last_output.map_or(look.now, |at| at + settles))
    }

    fn idle_at(&self, look: &Evidence<'_>) -> Option<Instant> {
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
fn frame_ends(found: Option<&FoundLine>, look: &Evidence<'_>) -> Option<Instant> {
    let found = found?;
    let quiet = look.last_output.map_or(found.at, |at| at + FRAME_QUIET);
    Some(quiet.clamp(found.at, found.at + FRAME_LONGEST))
}

fn next_sample(look: &Evidence<'_>, started: Instant) -> Instant {
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
