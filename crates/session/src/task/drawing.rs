//! When the program drew last, and whether it is in the middle of a frame. Told the time.

use std::time::{Duration, Instant};

/// A program that begins a frame and does not end it is shown half drawn after this.
const LONGEST_FRAME: Duration = Duration::from_millis(150);
/// How long a screen has to stand still for its rows to be worth keeping.
const SETTLED: Duration = Duration::from_millis(100);

/// What a program has drawn when.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    last_output: Option<Instant>,
    /// Since when the program is in the middle of drawing.
    half_drawn_since: Option<Instant>,
}

impl Drawing {
    pub(crate) fn last_output(&self) -> Option<Instant> {
        self.last_output
    }

    /// Whether what is shown has stood still.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        self.last_output.is_some_and(|last| now - last >= SETTLED)
    }

    /// Output came; `frame`: the program has begun a frame and not ended it.
    pub(super) fn output(&mut self, now: Instant, frame: bool) {
        self.last_output = Some(now);
        self.half_drawn_since = if frame { self.half_drawn_since.or(Some(now)) } else { None };
    }

    /// A frame that was begun before a checkpoint gets its time from now.
    pub(super) fn restored(&mut self, now: Instant, frame: bool) {
        if frame {
            self.half_drawn_since.get_or_insert(now);
        }
    }

    pub(crate) fn is_half_drawn(&self) -> bool {
        self.half_drawn_since.is_some()
    }

    /// When a frame that its program does not end is shown as it is.
    pub(crate) fn frame_ends(&self) -> Option<Instant> {
        self.half_drawn_since.map(|since| since + LONGEST_FRAME)
    }

    /// Whether a frame takes too long: then it is over.
    pub(super) fn end_late_frame(&mut self, now: Instant) -> bool {
        let late = self.frame_ends().is_some_and(|end| end <= now);
        if late {
            self.half_drawn_since = None;
        }
        late
    }

    /// A frame that its program did not end will have no end.
    pub(super) fn program_ended(&mut self) {
        self.half_drawn_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_not_ended_is_shown_after_a_while() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut drawing = Drawing::default();
        assert!(!drawing.is_settled(at(0)) && drawing.frame_ends().is_none());
        drawing.output(at(0), true);
        drawing.output(at(100), true);
        assert_eq!(drawing.frame_ends(), Some(at(150)), "its beginning counts");
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
