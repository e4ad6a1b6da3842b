//! Snapshots of a session, for decisions, waits and replies.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use cotty_pty::facts;

use super::Task;
use super::program::Program;
use crate::Activity;
use crate::handle::Info;
use crate::output::screen::{Screen, Spot};
use crate::wait::Evidence;
use crate::wait::observation::Observation;

impl Task {
    pub(super) fn program(&self) -> Program<'_> {
        let reading = OnceCell::new();
        Program { pty: self.terminal.pty(), pid: self.pid, meta: &self.meta, typing: &self.typing, reading }
    }

    pub(super) fn observe(&self, now: Instant) -> Observation<'_, Program<'_>> {
        Observation {
            now,
            vt: &self.vt,
            commands: &self.commands,
            typed: self.typing.lines(),
            unread: self.typing.unread(),
            last_typed: self.typing.last_typed(),
            last_output: self.drawing.last_output(),
            ended: self.ended.is_some(),
            marks: self.meta.nonce.is_some(),
            prompt_pattern: &self.prompt_pattern,
            own_pattern: self.meta.prompt_pattern.is_some(),
            facts: self.program(),
        }
    }

    pub(super) fn observe_now(&self) -> Observation<'_, Program<'_>> {
        self.observe(Instant::now())
    }

    pub(super) fn activity(&self) -> Activity {
        self.observe_now().activity()
    }

    pub(super) fn screen(&self) -> Screen<'_> {
        Screen { vt: &self.vt, commands: &self.commands, typed: self.typing.lines() }
    }

    /// Where the cursor was at `seq`, if a client typed or read then.
    pub(super) fn spot_at(&self, seq: u64) -> Option<Spot> {
        self.typing.spot_at(seq).or_else(|| self.readers.spot_at(seq))
    }

    /// Calls `decide` with a snapshot of the session.
    pub(super) fn with_evidence<T>(&self, now: Instant, decide: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let observation = self.observe(now);
        let prompt = observation.prompt();
        let last_output = self.drawing.last_output();
        let text_since = |since: Option<u64>, after: Option<u64>| {
            let screen = self.screen();
            let since = screen.searched_since(since);
            screen.searched(since, after, |seq| self.spot_at(seq))
        };
        decide(&Evidence {
            now,
            last_output,
            last_change: last_output.max(self.typing.last_typed()),
            seq: self.vt.shown_seq(),
            prompt,
            perhaps_prompt: prompt.is_none() && observation.perhaps_prompt(),
            exited: self.ended.is_some(),
            half_drawn_until: self.drawing.frame_ends(),
            keyboard_free: self.keyboard.held().is_none(),
            asks_secret: &|| observation.asked_secret().is_some(),
            reads: &|| observation.reads(),
            shell_waits: &|| observation.shell_waits(),
            asks: &|| observation.asks(),
            text_since: &text_since,
            is_over: &|retry_id| self.commands.is_over(retry_id),
        })
    }

    pub(super) fn info(&self) -> Info {
        let (size, cursor, now) = (self.vt.size(), self.vt.cursor(), Instant::now());
        let process = self.program().group().filter(|_| self.ended.is_none());
        let cwd = process.and_then(facts::directory).map(|dir| dir.to_string_lossy().into_owned());
        let touched = self.drawing.last_output().max(self.typing.last_typed());
        let idle = touched.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        let observation = self.observe(now);
        Info {
            meta: (*self.meta).clone(),
            pid: self.pid,
            title: self.vt.title().to_owned(),
            size: (size.cols, size.rows),
            cursor: (cursor.row, cursor.col),
            ended: self.ended,
            activity: observation.activity(),
            prompt: observation.prompt().is_some(),
            cwd: cwd.or_else(|| self.vt.directory().map(str::to_owned)),
            seq: self.vt.shown_seq(),
            recording: self.recording.state(&self.journal),
            idle_ms: u64::try_from(idle.as_millis()).unwrap_or(u64::MAX),
            keyboard: self.keyboard.state(|| observation.asked_secret().is_some()),
            history_lines: self.vt.history_limit(),
            stopped: process.is_some_and(facts::is_stopped),
            handoff: self.handoff.requests().newest().cloned(),
            lost: self.lost.clone(),
            checkpointed: self.journal.covered() != (0, 0),
        }
    }
}
