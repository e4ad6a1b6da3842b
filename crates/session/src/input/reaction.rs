//! How a program reacts to input in the short time after it.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// How long a program is observed.
const LONGEST: Duration = Duration::from_millis(80);
/// When to check after the input: no event reports that bytes were read.
const SAMPLES: [Duration; 6] = [
    Duration::from_millis(1),
    Duration::from_millis(3),
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(60),
    LONGEST,
];
/// The program has finished drawing once it is quiet for this long.
const REACTION_QUIET: Duration = Duration::from_millis(10);

/// How a program reacted to input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reaction {
    /// The program read all of the input.
    pub consumed: bool,
    /// The screen changed beyond the echo.
    pub reacted: bool,
    /// The shell began a command.
    pub submitted: bool,
}

/// A caller that waits for a program's reaction.
pub(crate) struct Observer {
    /// The seq before the input.
    pub(crate) seq: u64,
    /// The typed text, if the input was text. If the screen shows only this text, that is an echo.
    pub(crate) text: Option<String>,
    since: Instant,
    reply: oneshot::Sender<Reaction>,
}

/// The state of a program at a check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) reaction: Reaction,
    /// Whether a frame is half drawn.
    pub(crate) half_drawn: bool,
    pub(crate) ended: bool,
}

/// The observers of a session.
#[derive(Default)]
pub(crate) struct Observers(Vec<Observer>);

impl Observers {
    pub(crate) fn add(
        &mut self,
        seq: u64,
        text: Option<String>,
        reply: oneshot::Sender<Reaction>,
        now: Instant,
    ) {
        self.0.push(Observer { seq, text, since: now, reply });
    }

    /// Answers observers once the reaction is complete or their time is over. `running`: a command runs that may end soon and
    /// bring back the prompt. It is called last, because it is expensive.
    pub(crate) fn tell(
        &mut self,
        now: Instant,
        last_output: Option<Instant>,
        look: impl Fn(&Observer) -> Sample,
        running: impl Fn() -> bool,
    ) {
        for observer in std::mem::take(&mut self.0) {
            let seen = look(&observer);
            if is_over(&seen, now, observer.since, last_output, &running) {
                let _ = observer.reply.send(seen.reaction);
            } else if !observer.reply.is_closed() {
                self.0.push(observer);
            }
        }
    }

    /// When to check next.
    pub(crate) fn wakeup(&self, now: Instant, last_output: Option<Instant>) -> Option<Instant> {
        self.0.iter().map(|observer| next_check(observer.since, now, last_output)).min()
    }
}

/// Whether the reaction is complete, or the time is over.
fn is_over(
    seen: &Sample,
    now: Instant,
    since: Instant,
    last_output: Option<Instant>,
    running: &dyn Fn() -> bool,
) -> bool {
    let Reaction { consumed, reacted, submitted } = seen.reaction;
    let quiet = last_output.is_none_or(|at| now >= at + REACTION_QUIET);
    let is_drawn = quiet && !seen.half_drawn;
    now >= since + LONGEST || seen.ended || (consumed && reacted && is_drawn && !(submitted && running()))
}

fn next_check(since: Instant, now: Instant, last_output: Option<Instant>) -> Instant {
    let sample = SAMPLES.iter().map(|after| since + *after).find(|at| *at > now).unwrap_or(now);
    let quiet = last_output.map(|at| at + REACTION_QUIET).filter(|at| *at > now);
    quiet.map_or(sample, |quiet| quiet.min(sample))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_observation_ends_when_the_reaction_is_drawn_or_the_time_is_up() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let nothing = Sample { reaction: Reaction::default(), half_drawn: false, ended: false };
        let all = Sample { reaction: Reaction { consumed: true, reacted: true, submitted: true }, ..nothing };
        for (seen, now, output, running, over) in [
            (nothing, 79, None, false, false),
            (nothing, 80, None, false, true),
            (Sample { ended: true, ..nothing }, 1, None, false, true),
            (all, 20, Some(10), false, true),
            (all, 19, Some(10), false, false),
            (Sample { half_drawn: true, ..all }, 40, Some(10), false, false),
            (all, 40, Some(10), true, false),
        ] {
            assert_eq!(
                is_over(&seen, at(now), at(0), output.map(at), &|| running),
                over,
                "{seen:?} at {now}"
            );
        }
    }

    #[test]
    fn checks_become_rarer_and_follow_pauses_in_the_output() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        for (now, output, next) in
            [(0, None, 1), (1, None, 3), (30, None, 60), (30, Some(29), 39), (80, None, 80)]
        {
            assert_eq!(next_check(at(0), at(now), output.map(at)), at(next), "at {now}");
        }
    }
}
