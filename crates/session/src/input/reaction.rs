//! What a program did with what was typed, as far as a moment tells.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

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
    pub(crate) seq: u64,
    /// The text that was typed, where it was one: shown and nothing more, it is an echo.
    pub(crate) text: Option<String>,
    since: Instant,
    reply: oneshot::Sender<Reaction>,
}

/// What is seen of a program when an observer looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) reaction: Reaction,
    /// Whether a frame is half drawn.
    pub(crate) half_drawn: bool,
    pub(crate) ended: bool,
}

/// Those who want to know.
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

    /// Tells those who want to know, as soon as there is all to tell, or when their time is over. `running`: a command is at
    /// work that may be over in a moment, and the prompt back; asked last, because it costs something.
    pub(crate) fn tell(
        &mut self,
        now: Instant,
        last_output: Option<Instant>,
        look: impl Fn(&Observer) -> Observation,
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

    /// When to look next.
    pub(crate) fn wakeup(&self, now: Instant, last_output: Option<Instant>) -> Option<Instant> {
        self.0.iter().map(|observer| next_look(observer.since, now, last_output)).min()
    }
}

/// Whether there is no more to be seen, or no more time.
fn is_over(
    seen: &Observation,
    now: Instant,
    since: Instant,
    last_output: Option<Instant>,
    running: &dyn Fn() -> bool,
) -> bool {
    let Reaction { consumed, reacted, submitted } = seen.reaction;
    let quiet = last_output.is_none_or(|at| now >= at + FRAME_QUIET);
    let is_drawn = quiet && !seen.half_drawn;
    now >= since + LONGEST || seen.ended || (consumed && reacted && is_drawn && !(submitted && running()))
}

fn next_look(since: Instant, now: Instant, last_output: Option<Instant>) -> Instant {
    let sample = SAMPLES.iter().map(|after| since + *after).find(|at| *at > now).unwrap_or(now);
    let quiet = last_output.map(|at| at + FRAME_QUIET).filter(|at| *at > now);
    quiet.map_or(sample, |quiet| quiet.min(sample))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_all_is_seen_and_drawn_or_when_the_time_is_up() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let nothing = Observation { reaction: Reaction::default(), half_drawn: false, ended: false };
        let all =
            Observation { reaction: Reaction { consumed: true, reacted: true, submitted: true }, ..nothing };
        for (seen, now, output, running, over) in [
            (nothing, 79, None, false, false),
            (nothing, 80, None, false, true),
            (Observation { ended: true, ..nothing }, 1, None, false, true),
            (all, 20, Some(10), false, true),
            (all, 19, Some(10), false, false),
            (Observation { half_drawn: true, ..all }, 40, Some(10), false, false),
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
    fn it_looks_soon_and_then_less_often_and_when_the_output_pauses() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        for (now, output, next) in
            [(0, None, 1), (1, None, 3), (30, None, 60), (30, Some(29), 39), (80, None, 80)]
        {
            assert_eq!(next_look(at(0), at(now), output.map(at)), at(next), "at {now}");
        }
    }
}
