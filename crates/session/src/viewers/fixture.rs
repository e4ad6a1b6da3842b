//! A terminal, its viewers and a clock for tests.

use std::time::{Duration, Instant};

use cotty_vt::{EffectKind, Size, Vt};

use super::Viewers;
use crate::Activity;

/// The shortest time between two frames.
pub(super) const TICK: Duration = Duration::from_millis(16);

/// Only the test moves the clock.
pub(super) struct Fixture {
    pub(super) vt: Vt,
    pub(super) viewers: Viewers,
    pub(super) now: Instant,
}

impl Fixture {
    pub(super) fn new(vt: Vt) -> Fixture {
        Fixture { vt, viewers: Viewers::new(), now: Instant::now() }
    }

    pub(super) fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        self.vt.feed(bytes.as_ref());
        for effect in self.vt.take_effects() {
            if effect.kind == EffectKind::Bell {
                self.viewers.bell(self.now);
            }
        }
        self.viewers.changed(self.now);
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.vt.resize(size);
        self.viewers.changed(self.now);
    }

    pub(super) fn draw_if_due(&mut self) {
        self.viewers.note(&self.vt, false, || self.now);
        if self.viewers.wakeup().is_some_and(|due| due <= self.now) {
            self.viewers.draw(&self.vt, self.now, Activity::Prompt);
        }
    }

    /// Lets time pass as a session's task does: it wakes up whenever a frame is due.
    pub(super) fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        self.draw_if_due();
        while let Some(due) = self.viewers.wakeup().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.draw_if_due();
        }
        self.now = end;
    }
}
