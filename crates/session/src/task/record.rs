//! Each change of a session is recorded and then applied. A replay applies records with the same code.

use std::time::Instant;

use cotty_vt::Size;

use super::Task;
use crate::SessionError;
use crate::durable::journal::{Record, RecordKind};
use crate::durable::recording::At;

impl Task {
    /// The session's current seq and index length, with a time.
    pub(super) fn at(&self, ms: u64) -> At {
        At { seq: self.vt.seq(), index: self.journal.index_len(), ms }
    }

    /// Makes room in the journal for the next record.
    pub(super) async fn make_room(&mut self) -> Result<(), SessionError> {
        match self.journal.wants_checkpoint() {
            true => self.checkpoint().await,
            false => Ok(()),
        }
    }

    /// Records a change, and then applies it.
    pub(super) fn record(&mut self, what: &RecordKind, ms: u64) -> Result<(), SessionError> {
        self.journal.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(what, ms);
        Ok(())
    }

    /// Records a change and applies it even if recording fails; then the next daemon does not know of it.
    pub(super) fn record_if_possible(&mut self, what: &RecordKind, ms: u64) {
        let _ = self.journal.record(&Record { seq: self.vt.seq(), what: what.clone() });
        self.apply(what, ms);
    }

    /// Applies a record to the state, live or in a replay.
    pub(super) fn apply(&mut self, what: &RecordKind, ms: u64) {
        match what {
            RecordKind::Typed { .. } => self.apply_typed(what, ms),
            RecordKind::Replied { to } => self.typing.accept(*to),
            RecordKind::Resized { cols, rows, put_back } => {
                self.vt.resize(Size { cols: *cols, rows: *rows });
                self.fit.resized(*put_back);
            }
            RecordKind::Keyboard { change, at } => self.apply_keyboard(change, *at),
            RecordKind::History { lines } => self.vt.set_history_lines(*lines),
            RecordKind::Read { reader, shown, retry_id } => self.apply_read(reader, *shown, *retry_id),
            RecordKind::Answered { reader, run } => self.apply_answered(reader, run),
            RecordKind::Handoff(change) => self.handoff.apply(change),
            RecordKind::Signalled(signalled) => self.typing.signal(signalled.clone()),
            RecordKind::CaptureBegan(_) | RecordKind::CaptureEnded { .. } | RecordKind::Marked { .. } => {}
        }
        self.recording.record(what, self.at(ms), &self.typing, Instant::now());
    }
}
