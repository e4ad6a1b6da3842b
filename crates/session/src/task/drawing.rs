//! When the program last drew, and whether it is in the middle of a frame. Callers pass the time.

use std::time::{Duration, Instant};

/// A frame that its program does not end is shown half drawn after this time.
const LONGEST_FRAME: Duration = Duration::from_millis(150);
/// How long a screen must stay unchanged before its rows are worth keeping.
const SETTLED: Duration = Duration::from_millis(100);

/// When a program drew.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    last_output: Option<Instant>,
    /// When the unfinished frame began.
    half_drawn_since: Option<Instant>,
}

impl Drawing {
    pub(crate) fn last_output(&self) -> Option<Instant> {
        self.last_output
    }

    /// Whether the screen has stayed unchanged for long enough.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        self.last_output.is_some_and(|last| now - last >= SETTLED)
    }

    /// Notes output. `frame`: the program has begun a frame and not ended it.
    pub(super) fn output(&mut self, now: Instant, frame: bool) {
        self.last_output = Some(now);
        self.half_drawn_since = if frame { self.half_drawn_since.or(Some(now)) } else { None };
    }

    /// Restarts the time limit of a frame that began before a checkpoint.
    pub(super) fn restored(&mut self, now: Instant, frame: bool) {
        if frame {
            self.half_drawn_since.get_or_insert(now);
        }
    }

    pub(crate) fn is_half_drawn(&self) -> bool {
        self.half_drawn_since.is_some()
    }

    /// When an unfinished frame is shown half drawn.
    pub(crate) fn frame_ends(&self) -> Option<Instant> {
        self.half_drawn_since.map(|since| since + LONGEST_FRAME)
    }

    /// Ends a frame that takes too long; returns whether there was one.
    pub(super) fn end_late_frame(&mut self, now: Instant) -> bool {
        let late = self.frame_ends().is_some_and(|end| end <= now);
        if late {
            self.half_drawn_since = None;
        }
        late
    }

    /// Ends an unfinished frame, because the program has ended.
    pub(super) fn program_ended(&mut self) {
        self.half_drawn_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_frame_is_shown_after_a_time_limit() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut drawing = Drawing::default();
        assert!(!drawing.is_settled(at(0)) && drawing.frame_ends().is_none());
        drawing.output(at(0), true);
        drawing.output(at(100), true);
        assert_eq!(drawing.frame_ends(), Some(at(150)), "the limit counts from its beginning");
        assert!(!drawing.end_late_frame(at(149)) && drawing.is_half_drawn());
        assert!(drawing.end_late_frame(at(150)) && !drawing.is_half_drawn());
        drawing.output(at(160), false);
        assert!(!drawing.is_settled(at(259)) && drawing.is_settled(at(260)));
        drawing.restored(at(300), false);
        assert!(!drawing.is_half_drawn());
        drawing.restored(at(300), true);
        drawing.restored(at(400), true);
        assert_eq!(drawing.frame_ends(), Some(at(450)));
    }
}
