//! What a program did with what was typed, as far as a moment tells.

use std::time::{Duration, Instant};

use cotty_pty::facts;
use tokio::sync::oneshot;

use crate::Activity;
use crate::task::Task;

/// How long a program is given to do something.
const LONGEST: Duration = Duration::from_millis(80);
/// When to look, after the typing: that bytes were read announces nothing.
const SAMPLES: [Duration; 6] = [
    Duration::from_millis(1),
    Duration::from_millis(3),
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(60),
    LONGEST,
];
/// What is drawn in answer is let finish: until it is quiet this long.
const FRAME_QUIET: Duration = Duration::from_millis(10);

/// What is known of something typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reaction {
    /// The program read all of it.
    pub consumed: bool,
    /// The screen changed beyond the echo.
    pub reacted: bool,
    /// The shell began a command.
    pub submitted: bool,
}

/// Somebody who wants to know what a program does.
pub(crate) struct Observer {
    /// Output before the typing.
    seq: u64,
    /// The text that was typed, where it was one: shown and nothing more, it is an echo.
    text: Option<String>,
    since: Instant,
    reply: oneshot::Sender<Reaction>,
}

impl Observer {
    pub(crate) fn new(seq: u64, text: Option<String>, reply: oneshot::Sender<Reaction>) -> Observer {
        Observer { seq, text, since: Instant::now(), reply }
    }

    pub(crate) fn wakeup(&self, now: Instant, last_output: Option<Instant>) -> Instant {
        let sample = SAMPLES.iter().map(|after| self.since + *after).find(|at| *at > now).unwrap_or(now);
        let quiet = last_output.map(|at| at + FRAME_QUIET).filter(|at| *at > now);
        quiet.map_or(sample, |quiet| quiet.min(sample))
    }
}

impl Task {
    /// Tells those who want to know, as soon as there is all to tell, or when their time is over.
    pub(crate) fn tell_observers(&mut self, now: Instant) {
        for observer in std::mem::take(&mut self.observers) {
            let reaction = self.reaction(&observer);
            let over = now >= observer.since + LONGEST || self.ended.is_some();
            let all = reaction.consumed && reaction.reacted;
            if over || (all && self.has_settled(&reaction, now)) {
                let _ = observer.reply.send(reaction);
            } else if !observer.reply.is_closed() {
                self.observers.push(observer);
            }
        }
    }

    /// Whether what is drawn looks finished. A command that is at work may be over in a moment, and the prompt back.
    fn has_settled(&self, reaction: &Reaction, now: Instant) -> bool {
        let quiet = self.last_output.is_none_or(|at| now >= at + FRAME_QUIET);
        let drawn = quiet && self.half_drawn_since.is_none();
        drawn && !(reaction.submitted && matches!(self.activity(), Activity::Running { .. }))
    }

    fn reaction(&self, observer: &Observer) -> Reaction {
        let all_given = self.input.waiting() == 0;
        let unread = || if self.hung_up { None } else { facts::unread_input(self.pty.get_ref()) };
        Reaction {
            consumed: all_given && unread() == Some(0),
            reacted: self.vt.shown_seq() > observer.seq && self.changed_beyond_echo(observer),
            submitted: self.saved.commands.started_after(observer.seq) > 0,
        }
    }

    fn changed_beyond_echo(&self, observer: &Observer) -> bool {
        if self.vt.modes().alt_screen {
            return !self.vt.lines_since(observer.seq).is_empty();
        }
        let text = self.text_since(Some(observer.seq), None);
        let text = text.trim();
        match &observer.text {
            Some(typed) if !typed.contains('\n') => !text.is_empty() && !text.ends_with(typed.trim()),
            _ => !text.is_empty(),
        }
    }
}
