//! The end of each turn of the loop: answers and notifications, and when to wake up next.

use std::time::{Duration, Instant};

use super::Task;
use crate::clock::steady_ms;
use crate::handle::Waited;
use crate::hub::meta::now_ms;
use crate::input::reaction::{Observer, Reaction, Sample};
use crate::output::views;
use crate::viewers::presence::Around;
use crate::wait::facts::Facts;
use crate::wait::{Over, Waiter, why};
use crate::{Activity, Met};

/// How often to check a terminal that every process has closed, while its program lives: it may be opened again.
const REOPENED: Duration = Duration::from_secs(1);

impl Task {
    pub(super) async fn after_turn(&mut self) {
        let now = Instant::now();
        self.end_late_frame(now);
        self.expire_keyboard();
        self.end_stale_fit();
        self.typing.push_held(self.terminal.watched(), now);
        self.settle_doubts();
        self.tell_observers(now);
        self.answer_waiters(now);
        self.recording.turn(&self.journal, &self.vt, now, now_ms());
        self.check_waits(now).await;
        self.viewers.note(&self.vt, self.ended.is_some(), Instant::now);
        if self.viewers.wakeup().is_some_and(|due| due <= now) {
            let activity = self.activity();
            let around = Around {
                keyboard: &self.keyboard,
                activity: &activity,
                maker: &self.meta.actor,
                modes: &self.vt.modes(),
                fitted: self.fit.own_size().is_some(),
                handoff: self.handoff.requests().newest(),
            };
            let presence = self.viewers.watchers().presence(&around);
            self.viewers.tell(presence);
            self.viewers.draw(&self.vt, now, activity);
        }
    }

    /// Answers the waits that are over.
    async fn check_waits(&mut self, now: Instant) {
        if self.waits.are_none() {
            return;
        }
        self.settle_unread();
        let mut waits = std::mem::take(&mut self.waits);
        let mut over = self.with_evidence(now, |seen| waits.check(seen));
        self.waits = waits;
        // The answer to a run may take a checkpoint; the others do not wait for it.
        over.sort_by_key(|over| matches!(over.waiter, Waiter::Run { .. }));
        for Over { running, met, waiter } in over {
            let reply = match waiter {
                Waiter::Wait(reply) => reply,
                Waiter::Run { run, reader, reply } => {
                    self.answer_run(&run, &reader, reply).await;
                    continue;
                }
            };
            let screen = views::screen(&self.vt, false);
            let why = (met == Met::Timeout).then(|| {
                let holder = self.keyboard.held().map(|held| held.name.as_str());
                let (activity, alt_screen) = (self.activity(), self.vt.modes().alt_screen);
                let screen = &self.vt.screen_text();
                why::why_not(&running.wait, &why::Situation { activity, alt_screen, screen, holder })
            });
            let (matched, elapsed) = (running.found(met), now - running.started);
            let (info, command) = (self.info(), self.screen().last_command());
            let _ = reply.send(Waited { met, elapsed, info, screen, matched, why, command });
        }
    }

    /// Reports to observers how the program reacted to typed input.
    fn tell_observers(&mut self, now: Instant) {
        let mut observers = std::mem::take(&mut self.observers);
        let running = || matches!(self.activity(), Activity::Running { .. });
        observers.tell(now, self.drawing.last_output(), |observer| self.seen_by(observer), running);
        self.observers = observers;
    }

    fn seen_by(&self, observer: &Observer) -> Sample {
        let unread = || if self.terminal.is_hung_up() { None } else { self.program().unread_input() };
        let seq = observer.seq;
        let reaction = Reaction {
            consumed: !self.typing.is_queued() && unread() == Some(0),
            reacted: self.vt.shown_seq() > seq
                && self.screen().changed_beyond(seq, observer.text.as_deref(), |seq| self.spot_at(seq)),
            submitted: self.commands.started_after(seq) > 0,
        };
        Sample { reaction, half_drawn: self.drawing.is_half_drawn(), ended: self.ended.is_some() }
    }

    pub(super) fn wakeup(&self, now: Instant) -> Option<Instant> {
        let waits = match self.waits.any() {
            true => self.with_evidence(now, |seen| self.waits.wakeup(seen)),
            false => None,
        };
        let watched = self.waits.any() || self.viewers.any();
        let frame = self.drawing.frame_ends().filter(|_| watched);
        let reopened = (self.terminal.is_hung_up() && self.ended.is_none()).then(|| now + REOPENED);
        let in_ms = |end: u64| now + Duration::from_millis(end.saturating_sub(steady_ms()));
        let due = [
            waits,
            frame,
            reopened,
            self.viewers.wakeup(),
            self.observers.wakeup(now, self.drawing.last_output()),
            self.typing.wakeup(now),
            self.doubts.wakeup(now),
            self.keyboard.ends_ms().map(in_ms),
            self.handoff.requests().ends_ms().map(in_ms),
            self.handoff.wakeup(),
            self.recording.wakeup(),
        ];
        due.into_iter().flatten().min()
    }

    /// Shows a frame that its program did not end in time. Without viewers or waits there is no wake-up for it, so it may be
    /// long overdue when a call arrives.
    pub(super) fn end_late_frame(&mut self, now: Instant) {
        if self.drawing.end_late_frame(now) {
            self.vt.show_unfinished();
            self.viewers.changed(now);
        }
    }
}
